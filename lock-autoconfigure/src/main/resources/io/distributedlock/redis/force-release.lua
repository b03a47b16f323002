-- Takes a lock away from its owner, and frees it or hands it over.
--
-- KEYS  1 the lock's entry (see acquire.lua)
-- ARGV  1 highest token that the instance has seen, "+" before it if it may be ahead of the clock
-- Returns
--       {1, token}   free
--       {2, token}   handed over to the first one in line, with that token
--       {0}          has no owner
-- or an error if the key is no hash.
--
-- The first write is one that Redis allows when it is out of memory; it then allows the rest of the script too.

local entry, subject, seen, again, againLease = KEYS[1], '', ARGV[1], '', nil

--- @include "include/entry.lua"
--- @include "include/own-leases.lua"
--- @include "include/ended-holds.lua"
--- @include "include/free.lua"
--- @include "include/constants.lua"
--- @include "include/channels.lua"
--- @include "include/messages.lua"
--- @include "include/waiting-line.lua"

-- All acquisitions that still count as holders in their instances are notified.
local losers = string.sub(holder, 1, 1) == '=' and holds or holder
--- @include "include/hand-over.lua"
