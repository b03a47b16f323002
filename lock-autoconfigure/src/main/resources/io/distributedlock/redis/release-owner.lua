-- Releases one hold of an explicit owner, by its name. After the last one, the lock is free or handed over.
--
-- KEYS  1 the lock's entry (see acquire.lua)
-- ARGV  1 explicit owner   2 highest token that the instance has seen, "+" before it if it may be ahead of the clock
-- Returns
--       {1, token}    free
--       {2, token}    handed over to the first one in line, with that token
--       {4, token}    one hold fewer
--       {0}           has no owner
--       {-1, token}   another caller owns it
-- or an error if the key is no hash.
--
-- The first write is one that Redis allows when it is out of memory; it then allows the rest of the script too.

local entry, subject, seen, again, againLease = KEYS[1], ARGV[1], ARGV[2], '', nil

--- @include "include/entry.lua"
--- @include "include/own-leases.lua"
--- @include "include/ended-holds.lua"

if holder ~= '=' .. subject then
  return {-1, token}
end
removeEnded('')
given = given + 1
if remaining() > 0 then
  writeHolds()
  return {4, token}
end

--- @include "include/free.lua"
--- @include "include/constants.lua"
--- @include "include/channels.lua"
--- @include "include/messages.lua"
--- @include "include/waiting-line.lua"

-- Acquisitions that still count as holders in their instances are notified.
local losers = holds
--- @include "include/hand-over.lua"
