-- Frees a lock. Uses: entry, seen (the highest token that the instance has seen; "+" before it: ahead of the clock).
--
-- Clocks of a cluster's servers differ, and so do those of a master and the next one: a token may be ahead of the clock
-- here. Then the token remains, without an owner, until this clock has passed it: other instances may not know a clock
-- that is so far ahead. On a single server, the instance knows whether that is so, but not for the tokens of other
-- readers.
--
-- holders: ids, after "=%shared" if they are readers; in a cluster they have the tag of a slot, "<instance>{<tag>}"
-- token: nil for that of the entry
local function free(holders, token)
  local readers = string.sub(holders, 1, 2) == '=%'
  local keeps = readers or string.find(holders, '{', 1, true) or string.sub(seen, 1, 1) == '+'
  local last = keeps and (token or redis.call('HGET', entry, 't'))
  redis.call('DEL', entry)
  if keeps then
    local time = redis.call('TIME')
    last = math.max(tonumber(last) or 0, tonumber(seen) or 0)
    local ahead = last - time[1] * 1000000 - time[2]
    -- In a slot that is moving away, nothing can be written after the key is gone.
    if ahead >= 0 and type(redis.pcall('HSET', entry, 't', string.format('%.0f', last))) ~= 'table' then
      redis.call('PEXPIRE', entry, math.floor(ahead / 1000) + 2)
    end
  end
end
