-- The lease of the owner of an entry. Uses: own-leases.lua.
--
-- An entry ends with its lease, and its token with it. If the token is still ahead of the server's clock then, the
-- entry lasts until the clock has passed it: other instances may not know a clock that is so far ahead. The field u
-- says when the lease of its owner ends, "<ms of the server's clock> <owner>". From then on the entry is that of a free
-- lock whose token is kept, and its other fields mean nothing. No instance has to act at that time, so this also keeps
-- the token of an instance that has died. With the owner, since an instance of an earlier version leaves the field to
-- the next one.

-- When the lease ends, by the field u; nil if the entry ends with it.
local function leaseEnd(owner, field)
  local ends, whose = string.match(field or '', '^(%d+) (.+)$')
  return whose and whose == owner and tonumber(ends) or nil
end

local function hasEnded(owner, field)
  local ends = leaseEnd(owner, field)
  return ends ~= nil and ends <= serverTime()
end

-- The time in ms until the lease ends; negative if the entry has no expiry.
local function leaseLeft(entry, owner, field)
  local ttl, ends = redis.call('PTTL', entry), leaseEnd(owner, field)
  return ttl >= 0 and ends and math.min(ttl, ends - serverTime()) or ttl
end

local marked = false

-- Sets the lease of that owner, in ms from now. Readers keep no token: the last release does.
local function setLease(entry, owner, lease, token, field)
  local ahead = math.floor((token - serverMicros()) / 1000) + 2
  local keeps = ahead > lease and owner ~= '=%shared'
  redis.call('PEXPIRE', entry, keeps and ahead or lease)
  if keeps then
    marked = true
    redis.call('HSET', entry, 'u', string.format('%.0f %s', serverTime() + lease, owner))
  elseif field or marked then
    redis.call('HDEL', entry, 'u')
  end
end
