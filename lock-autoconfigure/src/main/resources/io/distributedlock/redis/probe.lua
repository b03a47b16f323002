-- Returns what prevents messages between instances at this server. Changes nothing, and no instance gets a message.
-- A channel with "{" is a sharded channel of a cluster.
--
-- ARGV  1 the channel of the requesting instance   2 a channel without listeners
-- Returns {listeners, refusal of the count or "", refusal of the message or ""}

local sharded = string.find(ARGV[1], '{', 1, true)
local seen = redis.pcall('PUBSUB', sharded and 'SHARDNUMSUB' or 'NUMSUB', ARGV[1])
local sent = redis.pcall(sharded and 'SPUBLISH' or 'PUBLISH', ARGV[2], 'probe')
return {seen[2] or 0, seen.err or '', type(sent) == 'table' and sent.err or ''}
