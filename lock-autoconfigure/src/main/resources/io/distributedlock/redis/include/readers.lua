-- Readers that enter a lock which other readers hold.
-- Uses: entry, holds, token, seen (the highest token that the instance has seen), waiting-line.lua.

-- Takes the readers out of the line. Returns those that listen, and all acquisitions that were passed over.
local function takeReaders(passed, requesting)
  local present, absent = takeAll(SHARED, requesting)
  local missed = {}
  for _, each in ipairs(absent) do
    passed = forget(passed, each[1])
    missed[#missed + 1] = each[1]
  end
  return present, remember(passed, missed)
end

-- Makes readers holders. Each gets a token of its own, in this order, and a message unless it sent the request.
-- given: the longest lease that the holders may count on   Returns the time to live in ms
local function admit(readers, ttl, given, requesting)
  local time = redis.call('TIME')
  token = math.max(time[1] * 1000000 + time[2], math.max(token, tonumber(seen)) + #readers)
  local longest, waiting = 0, beyond - first - empty
  for i, each in ipairs(readers) do
    holds = holds .. each[1] .. ' '
    longest = math.max(longest, tonumber(each[2]))
    if each[1] ~= requesting then
      local text = string.format('%.0f', token - #readers + i)
      message(each[1], 'grant ' .. each[1] .. ' ' .. text .. ' ' .. each[2] .. ' ' .. waiting)
    end
  end
  redis.call('HSET', entry, 'h', holds, 't', string.format('%.0f', token))
  if ttl < 0 then
    -- Another client removed it. The holders rely on the leases that they were granted.
    longest = math.max(longest, given)
  end
  if longest > given then
    redis.call('HSET', entry, 'l', string.format('%.0f', longest))
  end
  if ttl < longest then
    redis.call('PEXPIRE', entry, longest)
  end
  return math.max(ttl, longest)
end
