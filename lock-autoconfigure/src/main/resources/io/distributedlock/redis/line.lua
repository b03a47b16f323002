-- Reads the beginning of the line of an entry (see acquire.lua).
--
-- KEYS  1 the entry
-- ARGV  1 the maximum number of waiters in the reply
-- Returns the instance of each waiting acquisition, in the order of the line. Ids are secrets, so only their public
-- parts are returned. Changes nothing.

local ends = redis.call('HMGET', KEYS[1], 'f', 'n')
local place, behind, most = tonumber(ends[1]), tonumber(ends[2]), tonumber(ARGV[1])
local found = {}
while place and behind and place < behind and #found < most do
  local waiting = redis.call('HGET', KEYS[1], string.format('q%.0f', place))
  local last = waiting and string.match(waiting, '^ %-?%d+ (%-?%d+)')
  if waiting and not last then
    found[#found + 1] = string.match(waiting, '^[^.]*')
  end
  place = (tonumber(last) or place) + 1
end
return found
