-- A reader requests a lock that other readers hold. It joins them if no writer is before it, or if it waited for the
-- same turn; then all readers in line enter too. Otherwise the script continues.
-- Uses: id, lease, place, ttl, waiting, fields, own-leases.lua, readers.lua.

local MOST_LOOKS = 128
local known = fields[9] or ''
local passed = known

-- Whether the first in line has sent no request for long. The time counts from when a reader first needs to know, and
-- anew from each of its requests. A failed write, for lack of memory, only makes the readers wait.
local function isSilent(head)
  local watched, since = string.match(redis.call('HGET', entry, 's') or '', '^(%S+) (%d+)$')
  local silence = watched == head and serverTime() - since or -1
  if silence < 0 then
    redis.pcall('HSET', entry, 's', head .. ' ' .. string.format('%.0f', serverTime()))
  end
  return silence > SILENCE
end

-- Whether the instance of the first in line is dead, or regains its place by its next request: it does not listen, and
-- has sent no request since that was found. In all other cases only its requests show that it is alive: an instance that
-- listens may have been stopped, or no longer know of this wait after an outage.
local function isAbsent(head, owner)
  local present = listens(head)
  if owner == SHARED then
    return not present
  end
  if not present and not uncounted and not hasAsked(passed, head) then
    return true
  end
  return isSilent(head)
end

local its, looks = nil, 0
while first < beyond and looks < MOST_LOOKS do
  local head, _, owner = at(first)
  its = owner
  if not head or head == id or not isAbsent(head, owner) then
    break
  end
  leave(first, head, owner)
  passed = remember((forget(passed, head)), {head})
  its, looks = nil, looks + 1
end

local comes = ARGV[7] and string.find(' ' .. holds, ' ' .. ARGV[7] .. ' ', 1, true)
if not comes and not place then
  passed, comes = forget(passed, id)
end
local entering = {}
if its == SHARED then
  entering, passed = takeReaders(passed, id)
  comes, place = comes or place, nil
end
comes = comes or first >= beyond
if comes and place then
  leave(place, id, SHARED)
  place = nil
end
if comes then
  passed = forget(passed, id)
  entering[#entering + 1] = {id, lease}
end
if passed ~= known then
  -- Also if Redis is out of memory, a reader that was passed over enters: this write is allowed, and then all others.
  redis.call('HDEL', entry, 'd')
end
if #entering > 0 then
  ttl = admit(entering, ttl, tonumber(fields[3]) or 0, id)
end
tellThoseNear()
if passed ~= known then
  if passed ~= '' then
    redis.call('HSET', entry, 'd', passed)
  end
  fields[9] = passed
end
waiting = beyond - first - empty
if comes then
  sendMessages()
  return {1, token, waiting}
end
sendAtEnd = sendMessages
