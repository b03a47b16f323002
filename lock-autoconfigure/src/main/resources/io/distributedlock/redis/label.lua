-- Writes the label of an instance, for as long as its holds may last.
--
-- KEYS  1 the key of the instance
-- ARGV  1 the label
--       2 its time to live in ms
-- Returns nothing. In one step, so that the key never remains without an expiry.

redis.call('HSET', KEYS[1], 'label', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
