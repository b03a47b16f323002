-- Extends leases that are still owned. Creates nothing.
--
-- KEYS  the entries (see acquire.lua)
-- ARGV  for each of them: acquisition id, lease in ms, the token of the latest hold or a higher one, "1" if it may get
--       shorter
-- Returns for each of them, one after the other: 1 renewed or 0 not owned, the entry's token or 0, number of waiters
--
-- An entry of a wrong type no longer represents a lock, and must not affect the reply for the others. A lease gets
-- shorter only on request, since this may be a late copy of a renewal, and only if the entry has no higher token: then
-- this is a late copy of a request to shorten it. That of readers never gets shorter, and that of an explicit owner not
-- before its other holds end. A TTL that is missing, or longer than every lease that the owner requested, was not set by
-- a script: it is set to the longest of those. The first write is one that Redis allows when it is out of memory; it
-- then allows the others too. An unchanged lease is written too: WAIT confirms the latest write of the connection, and
-- that must be the write of this lease.

--- @include "include/own-leases.lua"

local reply = {}
for i, entry in ipairs(KEYS) do
  local id, lease, passed, shorten = unpack(ARGV, 4 * i - 3, 4 * i)
  local fields = redis.pcall('HMGET', entry, 'o', 't', 'f', 'h', 'l', 'n', 'x', 'q')
  if fields.err and not string.find(fields.err, '^WRONGTYPE') then
    return fields
  end
  local holder, token = fields[1], tonumber(fields[2] or '0') or 0
  local mine = holder == id
  local shared = holder and string.sub(holder, 1, 1) == '='
  if shared then
    mine = string.find(' ' .. (fields[4] or ''), ' ' .. id .. ' ', 1, true)
  end
  if mine then
    local wanted = tonumber(lease)
    local known = tonumber(fields[5] or '') or 0
    local longest = math.max(known, wanted)
    local ttl = redis.call('PTTL', entry)
    local shortens = shorten == '1' and tonumber(passed) >= token
    local least = not shared and wanted or nil
    if shared and holder ~= '=%shared' then
      local others = string.sub(fields[4], 1, mine - 1) .. string.sub(fields[4], mine + #id + 1)
      local ahead = shortens and others ~= '' and aheadOfEnds(entry, fields[4]) or 0
      setEnd(entry, id, wanted, not shortens, longest)
      local untilOthers = shortens and untilLastEnd(entry, others, ahead)
      least = untilOthers and math.max(untilOthers, wanted)
    end
    if shortens and least then
      redis.call('PEXPIRE', entry, least)
      longest = (not shared or fields[4] == id .. ' ') and wanted or longest
    elseif ttl < 0 or ttl > longest then
      redis.call('PEXPIRE', entry, longest)
    else
      redis.call('PEXPIRE', entry, math.max(ttl, wanted))
    end
    if longest ~= known then
      redis.call('HDEL', entry, 'l')
      redis.call('HSET', entry, 'l', longest)
    end
    if tonumber(passed) > token then
      token = tonumber(passed)
      redis.call('HDEL', entry, 't')
      redis.call('HSET', entry, 't', passed)
    end
  end
  local waiting = (tonumber(fields[6]) or 0) - (tonumber(fields[3]) or 0) - (tonumber(fields[7]) or 0)
  if fields[8] then
    -- The line in the format of an earlier version.
    waiting = waiting + 1
  end
  reply[3 * i - 2], reply[3 * i - 1], reply[3 * i] = mine and 1 or 0, token, waiting
end
return reply
