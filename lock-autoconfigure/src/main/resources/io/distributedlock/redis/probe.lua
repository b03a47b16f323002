-- Returns what prevents messages between instances at this server. Changes nothing, and no instance gets a message.
--
-- ARGV  1 the channel of the requesting instance   2 a channel without listeners
-- Returns {listeners, refusal of PUBSUB NUMSUB or "", refusal of PUBLISH or ""}

local seen = redis.pcall('PUBSUB', 'NUMSUB', ARGV[1])
local sent = redis.pcall('PUBLISH', ARGV[2], 'probe')
return {seen[2] or 0, seen.err or '', type(sent) == 'table' and sent.err or ''}
