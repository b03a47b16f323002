-- Reads an entry (see acquire.lua).
--
-- KEYS  1 the entry
-- Returns {} if there is none, or {owner, token, remaining lease in ms, number of waiters}. An acquisition id is a
-- secret, so only its public part is returned. The explicit owner, or "%shared" if readers have the lock, is followed
-- by a space and the instance, once for each instance of the holds.

local fields = redis.call('HMGET', KEYS[1], 'o', 't', 'f', 'n', 'x', 'h')
if not fields[1] then
  return {}
end
local waiting = (tonumber(fields[4]) or 0) - (tonumber(fields[3]) or 0) - (tonumber(fields[5]) or 0)
local owner = fields[1]
if string.sub(owner, 1, 1) == '=' then
  local known = {}
  if owner == '=%shared' then
    owner = '%shared'
  end
  for instance in string.gmatch(fields[6] or '', '([^.%s]+)%.%S*') do
    if not known[instance] then
      known[instance] = true
      owner = owner .. ' ' .. instance
    end
  end
else
  owner = string.match(owner, '^[^.]*')
end
local ttl = string.format('%.0f', redis.call('PTTL', KEYS[1]))
return {owner, fields[2], ttl, tostring(math.max(0, waiting))}
