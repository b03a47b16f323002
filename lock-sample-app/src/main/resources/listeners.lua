-- Counts the listeners of a channel.
--
-- ARGV[1] the channel
--
-- Returns the number of connections to this server that are subscribed to it.
return redis.call('PUBSUB', 'NUMSUB', ARGV[1])[2]
