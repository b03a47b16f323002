-- The leases of the single holds of an explicit owner: the fields u<id> of an entry say when they end.
--
-- A hold of an instance that has died remains among those of its owner. Without an end of its own it would keep the
-- lock for as long as the owner acquires the lock again in time, for example after a restart. A hold without such a
-- field is one of an earlier version, and does not end before the entry.
--
-- The ends are points in time of the server's clock, while the expiry of the entry is a duration when MIGRATE moves it
-- to another server. So the two show together how far the clocks of the servers differ. (A replica has both as points
-- in time: after its promotion, both are early or late by the same difference.)

-- A smaller difference, in milliseconds, is not corrected.
local TOLERATED = 50

-- In milliseconds.
local function serverTime()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- later: never earlier than before, since this may be a late copy of a request. An end beyond the longest lease of the
-- owner is of a clock that is ahead of this one.
local function setEnd(entry, id, lease, later, longest)
  local now = serverTime()
  local ends, known = now + lease, tonumber(redis.call('HGET', entry, 'u' .. id) or '') or 0
  if not later or ends > known or known > now + longest + TOLERATED then
    -- Redis allows this write when it is out of memory, and then the next ones too.
    redis.call('HDEL', entry, 'u' .. id)
    redis.call('HSET', entry, 'u' .. id, string.format('%.0f', ends))
  end
end

-- Calls the function with as many fields of these holds as one command takes, and their ids.
local function eachEnds(holds, use)
  local ids, fields = {}, {}
  for id in string.gmatch(holds, '%S+') do
    ids[#ids + 1], fields[#fields + 1] = id, 'u' .. id
    if #ids == 1000 then
      use(fields, ids)
      ids, fields = {}, {}
    end
  end
  if #ids > 0 then
    use(fields, ids)
  end
end

-- The time in ms until the last of these holds ends, which is negative if it has ended, or nil if one of them has no
-- end. Calls ended, if given, with those that have ended, and leaves them out.
-- ahead: by how much the ends are too early by the clock of this server
local function untilLastEnd(entry, holds, ahead, ended)
  local now, last = serverTime() - ahead, -math.huge
  eachEnds(holds, function(fields, ids)
    for i, ends in ipairs(redis.call('HMGET', entry, unpack(fields))) do
      local rest = ends and tonumber(ends) - now
      if ended and rest and rest <= 0 then
        ended(ids[i])
      elseif last then
        last = rest and math.max(last, rest)
      end
    end
  end)
  return last
end

-- By how many ms the clock of this server is ahead of the one that the ends of these holds, which have to be all, were
-- set by: without that, a hold would be removed whose instance relies on it. A clock that is behind lets a hold count
-- for longer.
local function aheadOfEnds(entry, holds)
  local last = untilLastEnd(entry, holds, 0)
  -- Another client may have set a longer TTL.
  local ttl = math.min(redis.call('PTTL', entry), tonumber(redis.call('HGET', entry, 'l')) or 0)
  local ahead = last and ttl - last or 0
  return ahead > TOLERATED and ahead or 0
end
