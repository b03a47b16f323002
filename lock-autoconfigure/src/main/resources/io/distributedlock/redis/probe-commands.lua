-- Returns the commands that the scripts need and Redis refuses here. Changes nothing, since the key does not exist. HSET
-- is left out for that reason.
--
-- KEYS  1 a key that does not exist
-- Returns {command, refusal, command, refusal, ...}

local key = KEYS[1]
local refused = {}

local function try(command, ...)
  local reply = redis.pcall(command, ...)
  if type(reply) == 'table' and reply.err then
    refused[#refused + 1] = command
    refused[#refused + 1] = reply.err
  end
end

try('TIME')
try('EXISTS', key)
try('HGET', key, 'o')
try('HLEN', key)
try('HMGET', key, 'o')
try('HDEL', key, 'o')
try('PEXPIRE', key, 1)
try('PTTL', key)
try('DEL', key)
return refused
