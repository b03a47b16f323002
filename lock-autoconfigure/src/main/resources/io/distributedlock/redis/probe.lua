-- Tells what keeps this server from sending messages between instances. Changes nothing, and no instance hears it.
--
-- ARGV  1 the channel of the asking instance   2 a channel on which nobody listens
-- Gives {listeners, refusal of PUBSUB NUMSUB or "", refusal of PUBLISH or ""}

local seen = redis.pcall('PUBSUB', 'NUMSUB', ARGV[1])
local sent = redis.pcall('PUBLISH', ARGV[2], 'probe')
return {seen[2] or 0, seen.err or '', type(sent) == 'table' and sent.err or ''}
