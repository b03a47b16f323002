-- Writes the number that a till has calculated, and counts the sale, in one step.
--
-- KEYS[1] the numbers of the product
-- ARGV[1] how many pieces are left after the sale, as the till has calculated it
-- ARGV[2] the fencing token of the lock that the till holds; 0 without a lock
--
-- Returns 1, or 0 if a till with a newer token has written already: then this till has lost its lock, and nothing is
-- changed.
if tonumber(ARGV[2]) < tonumber(redis.call('HGET', KEYS[1], 'token') or '0') then
  return 0
end
redis.call('HSET', KEYS[1], 'left', ARGV[1], 'token', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'sold', 1)
return 1
