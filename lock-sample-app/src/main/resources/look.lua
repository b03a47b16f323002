-- Reads how many pieces are left, and rejects tills with an older token from now on. A write of such a till would be
-- lost, as the till that reads now writes a number that it calculates from this one.
--
-- KEYS[1] the numbers of the product
-- ARGV[1] the fencing token of the lock that the till holds; 0 without a lock
--
-- Returns how many pieces are left.
if tonumber(ARGV[1]) > tonumber(redis.call('HGET', KEYS[1], 'token') or '0') then
  redis.call('HSET', KEYS[1], 'token', ARGV[1])
end
return tonumber(redis.call('HGET', KEYS[1], 'left') or '0')
