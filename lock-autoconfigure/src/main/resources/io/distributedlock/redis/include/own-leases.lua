-- The leases of the single holds of an explicit owner: the fields u<id> of an entry say when they end.
--
-- A hold of an instance that has died remains among those of its owner. Without an end of its own it would keep the
-- lock for as long as the owner acquires the lock again in time, for example after a restart. A hold without such a
-- field is one of an earlier version, and does not end before the entry.

-- In milliseconds.
local function serverTime()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- later: never earlier than before, since this may be a late copy of a request
local function setEnd(entry, id, lease, later)
  local ends = serverTime() + lease
  if not later or ends > (tonumber(redis.call('HGET', entry, 'u' .. id) or '') or 0) then
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

-- The time in ms until the last of these holds ends, or nil if one of them has no end. Calls ended with the others that
-- have ended before.
local function untilLastEnd(entry, holds, ended)
  local now, last = serverTime(), 0
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
