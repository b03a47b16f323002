-- The line of waiters; acquire.lua describes its fields.
-- Uses: entry, first, beyond and empty (fields f, n and x, or 1, 1, 0), constants.lua, messages.lua.

local before = first

-- The acquisition at that place: id, lease, and the explicit owner as in the field, or "". Nothing if it is empty.
local function at(place)
  return string.match(redis.call('HGET', entry, 'q' .. place) or '', '^(%S+) (%d+) ?(.*)$')
end

-- The first and the last of the row of empty places that begins or ends there, or nothing.
local function row(text)
  local from, to = string.match(text or '', '^ (%S+) (%S+)$')
  return tonumber(from), tonumber(to)
end

-- Takes a place out of the chain of the waiters with the same explicit owner.
local function unlink(place, owner)
  local links = redis.call('HMGET', entry, 'a' .. place, 'b' .. place)
  local after, previous = links[1], links[2]
  redis.call('HDEL', entry, 'a' .. place, 'b' .. place)
  local toAfter = previous and 'a' .. previous or 'e' .. owner
  if after then
    redis.call('HSET', entry, toAfter, after)
    if previous then
      redis.call('HSET', entry, 'b' .. after, previous)
    else
      redis.call('HDEL', entry, 'b' .. after)
    end
  else
    redis.call('HDEL', entry, toAfter)
  end
end

-- Empties a place; the others stay. Adjacent empty places are one row. The ends of the line are never empty.
local function leave(place, id, owner)
  local beside = redis.call('HMGET', entry, 'q' .. place - 1, 'q' .. place + 1)
  local from = row(beside[1])
  local _, to = row(beside[2])
  redis.call('HDEL', entry, 'w' .. id, 'q' .. place, 'q' .. (from or place), 'q' .. (from and place - 1 or place),
    'q' .. (to or place), 'q' .. (to and place + 1 or place))
  from, to = from or place, to or place
  if place == first then
    first, empty = to + 1, empty - (to - place)
  elseif place == beyond - 1 then
    beyond, empty = from, empty - (place - from)
  else
    empty = empty + 1
    local ends = ' ' .. from .. ' ' .. to
    redis.call('HSET', entry, 'q' .. from, ends, 'q' .. to, ends)
  end
  if first >= beyond then
    redis.call('HDEL', entry, 'f', 'n', 'x', 's')
  else
    redis.call('HSET', entry, 'f', first, 'n', beyond)
    if empty > 0 then
      redis.call('HSET', entry, 'x', empty)
    else
      redis.call('HDEL', entry, 'x')
    end
  end
  if owner ~= '' and string.sub(owner, 1, 2) ~= ALONE then
    unlink(place, owner)
  end
end

-- Takes the waiters with the same explicit owner out of the line, and returns id and lease of those that listen, in
-- order, and of the others; nothing of the acquisition that sent the request.
local function takeAll(owner, requesting)
  local places = {}
  local place = redis.call('HGET', entry, 'e' .. owner)
  redis.call('HDEL', entry, 'e' .. owner)
  while place do
    local after = redis.call('HGET', entry, 'a' .. place)
    redis.call('HDEL', entry, 'a' .. place, 'b' .. place)
    places[#places + 1] = tonumber(place)
    place = after
  end
  table.sort(places)
  local present, absent = {}, {}
  for _, each in ipairs(places) do
    local id, lease = at(each)
    if id then
      leave(each, id, '')
    end
    if id and id ~= requesting then
      local list = listens(id) and present or absent
      list[#list + 1] = {id, lease}
    end
  end
  return present, absent
end

-- Removes an id from those that were passed over. Returns them, and whether it was among them.
local function forget(passed, id)
  local start, last = string.find(' ' .. passed, ' %+?' .. string.gsub(id, '%p', '%%%0') .. ' ')
  if start then
    passed = string.sub(passed, 1, start - 1) .. string.sub(passed, last)
  end
  return passed, start ~= nil
end

-- Whether it was passed over and has sent a request since.
local function hasAsked(passed, id)
  return string.find(' ' .. passed, ' +' .. id .. ' ', 1, true) ~= nil
end

-- The latest eight that were passed over.
local function remember(passed, missed)
  for i = math.max(1, #missed - 7), #missed do
    passed = passed .. missed[i] .. ' '
  end
  while select(2, string.gsub(passed, ' ', '')) > 8 do
    -- The lock may be reserved for those that have sent a request since.
    local without, found = string.gsub(' ' .. passed, ' [^ +]%S* ', ' ', 1)
    passed = found > 0 and string.sub(without, 2) or string.gsub(passed, '^%S+ ', '')
  end
  return passed
end

-- Notifies acquisitions that have come near the head, which then send requests more often.
local function tellThoseNear()
  for place = math.max(before + NEAR, first), math.min(first + NEAR, beyond) - 1 do
    local id = at(place)
    if id then
      message(id, 'near ' .. id)
    end
  end
end
