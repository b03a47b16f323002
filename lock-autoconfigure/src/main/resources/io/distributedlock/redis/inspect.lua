-- Reads an entry (see acquire.lua).
--
-- KEYS  1 the entry
-- Gives {} if there is none, or {owner, token, remaining lease in ms, how many wait}. An acquisition id is a secret, so
-- only the public part of it is given. The owner of a lock that readers have is "%shared" and those of the readers'
-- instances, each once.

local fields = redis.call('HMGET', KEYS[1], 'o', 't', 'f', 'n', 'x', 'h')
if not fields[1] then
  return {}
end
local waiting = (tonumber(fields[4]) or 0) - (tonumber(fields[3]) or 0) - (tonumber(fields[5]) or 0)
local owner = fields[1]
if owner == '=%shared' then
  local known = {}
  owner = '%shared'
  for instance in string.gmatch(fields[6] or '', '([^.%s]+)%.%S*') do
    if not known[instance] then
      known[instance] = true
      owner = owner .. ' ' .. instance
    end
  end
elseif string.sub(owner, 1, 1) ~= '=' then
  owner = string.match(owner, '^[^.]*')
end
return {owner, fields[2], tostring(redis.call('PTTL', KEYS[1])), tostring(math.max(0, waiting))}
