-- Passes on a lock whose hold has ended: to the first one in line that listens, or to the acquisition that queues, or
-- the lock becomes free. The last part of a script, since it returns.
-- Uses: entry.lua, ended-holds.lua, free.lua, waiting-line.lua, losers (ids of acquisitions that have lost the lock),
-- againLease.
--
-- Read, write, notify. It checks which instances listen, writes the new owner, and sends the messages after the last
-- write, only to the new owner, to acquisitions that have lost the lock, and to those that have come near the head of
-- the line. It passes over an acquisition whose instance does not listen. One that was passed over like this and has
-- sent a request since is alive: the lock is reserved for it for two seconds, in which it sends its next request. If
-- the server refuses to count listeners, the lock is reserved for the first one in line like that, and for all readers
-- if that is one.
--
-- At a hand-over to a reader, all readers in line enter together, and likewise all waiters of an explicit owner that may
-- re-enter. One that must be the only hold of its owner enters without others of that kind: these stay in line, and are
-- refused with their next request if their owner still has the lock then.
--
-- The cost does not depend on the number of waiters, only on how many are passed over and on how many enter together
-- for the same explicit owner. One call checks MOST_LOOKS places in line at most. If none of these listens, the lock
-- becomes free, and the next request gets it.

local MOST_LOOKS = 1024

for id in string.gmatch(losers, '%S+') do
  message(id, 'revoke ' .. id)
end
token = math.max(token, tonumber(seen))
local joins = again ~= '' and not fields[11]

-- Waiters in the format of an earlier version, which is one text, stand behind all others.
if fields[9] then
  redis.call('HDEL', entry, 'q')
  for id, lease, owner in string.gmatch(fields[9], '(%S+) (%d+) ([^;]*);') do
    if not redis.call('HGET', entry, 'w' .. id) then
      local text = owner == '' and id .. ' ' .. lease or id .. ' ' .. lease .. ' ' .. owner
      redis.call('HSET', entry, 'q' .. beyond, text, 'w' .. id, beyond, 'f', first, 'n', beyond + 1)
      if owner ~= '' then
        local other = redis.call('HGET', entry, 'e' .. owner)
        if other then
          redis.call('HSET', entry, 'a' .. beyond, other, 'b' .. other, beyond)
        end
        redis.call('HSET', entry, 'e' .. owner, beyond)
      end
      beyond = beyond + 1
    end
  end
end

-- The fields that are deleted at the end. No field of an explicit owner remains for the next one.
local gone = {'x', 's'}
if fields[6] then
  gone[#gone + 1] = 'h'
end
if fields[7] then
  gone[#gone + 1] = 'g'
end
if string.sub(holder, 1, 1) == '=' and holder ~= '=' .. SHARED then
  forgetEnds(holds .. subject)
end

-- Takes the first one out of the line.
local function take()
  local id, lease, owner = at(first)
  if not id then
    -- Another client wrote into the line. Each waiting instance repeats its request.
    redis.call('DEL', entry)
    first, beyond, empty = 1, 1, 0
    return nil
  end
  gone[#gone + 1] = 'q' .. first
  gone[#gone + 1] = 'w' .. id
  first = first + 1
  if empty > 0 then
    local from, to = row(redis.call('HGET', entry, 'q' .. first))
    if to then
      gone[#gone + 1] = 'q' .. from
      gone[#gone + 1] = 'q' .. to
      first, empty = to + 1, empty - (to - from + 1)
    end
  end
  return id, lease, owner
end

-- Checks these places in few calls, since most of them may be of dead instances.
local function lookAt(places)
  local wanted, known = {}, {}
  for _, text in ipairs(redis.call('HMGET', entry, unpack(places))) do
    local id = text and string.match(text, '^(%S+) ')
    local its = id and channel(id)
    if its and listeners[its] == nil and not known[its] then
      known[its] = true
      wanted[#wanted + 1] = its
    end
  end
  if #wanted > 0 then
    lookAtAll(wanted)
  end
end

-- Takes the waiters with the same explicit owner out of the line: all of them that listen enter together.
local function enter(heirs, owner)
  redis.call('HDEL', entry, unpack(gone))
  gone = {'x'}
  local present, absent = takeAll(owner)
  for _, each in ipairs(present) do
    heirs[#heirs + 1] = each
  end
  return absent
end

local passed, missed = fields[8] or '', {}

-- Whether it was passed over and has sent a request since, or may be alive for all that is known.
local function asksByItself(id)
  if uncounted or hasAsked(passed, id) then
    passed = forget(passed, id)
    return true
  end
  missed[#missed + 1] = id
  return false
end

-- Readers that do not listen but have sent a request since enter as well, until the time of their next request.
local function addThoseWhoAsk(heirs, absent)
  for _, each in ipairs(absent) do
    if asksByItself(each[1]) then
      heirs[#heirs + 1] = {each[1], string.format('%.0f', math.min(tonumber(each[2]), 2000)), true}
    end
  end
end

-- Waiters of an explicit owner that do not listen, while the first of that owner or those that listen have their turn.
local function passOver(absent)
  for _, each in ipairs(absent) do
    passed = forget(passed, each[1])
    missed[#missed + 1] = each[1]
  end
end

local heirs, id, lease, owner, silent = {}, nil, nil, '', false
local looks, looked = 0, first
while #heirs == 0 and first < beyond and looks < MOST_LOOKS do
  if looks > 0 and first >= looked then
    looked = math.min(first + math.min(4 * looks, 128), beyond)
    local places = {}
    for place = first, looked - 1 do
      places[#places + 1] = 'q' .. place
    end
    lookAt(places)
  end
  looks = looks + 1
  id, lease, owner = take()
  if id then
    if string.sub(owner, 1, 2) == ALONE then
      owner = string.sub(owner, 3)
    end
    if id == again or listens(id) then
      heirs[1] = {id, lease}
      passed = passed ~= '' and forget(passed, id) or passed
    end
    local absent = owner ~= '' and enter(heirs, owner) or {}
    if owner == SHARED then
      if #heirs == 0 or heirs[1][1] ~= id then
        table.insert(absent, 1, {id, lease})
      end
      addThoseWhoAsk(heirs, absent)
      lease = heirs[1] and heirs[1][2] or lease
    else
      if #heirs == 0 and asksByItself(id) then
        silent = true
        lease = string.format('%.0f', math.min(tonumber(lease), 2000))
        heirs[1] = {id, lease}
      elseif #heirs > 0 and heirs[1][1] ~= id then
        passOver({{id}})
        lease = heirs[1][2]
      end
      passOver(absent)
    end
  end
end
if #heirs == 0 and joins then
  joins = false
  id, lease, owner = again, againLease, ''
  heirs[1] = {id, lease}
end
if #heirs == 0 then
  free(holder .. holds .. subject, token)
  sendMessages()
  return {1, token}
end

local time = redis.call('TIME')
-- Each reader has a token of its own; the latest is that of the entry.
local next = math.max(time[1] * 1000000 + time[2], token + (owner == SHARED and #heirs or 1))
local waiting = beyond - first - empty + (joins and 1 or 0)
local together, longest = '', lease
for i, heir in ipairs(heirs) do
  together = together .. heir[1] .. ' '
  longest = tonumber(heir[2]) > tonumber(longest) and heir[2] or longest
  local text = string.format('%.0f', owner == SHARED and next - #heirs + i or next)
  if heir[1] ~= again and not silent and not heir[3] then
    message(heir[1], 'grant ' .. heir[1] .. ' ' .. text .. ' ' .. heir[2] .. ' ' .. waiting)
  end
end
tellThoseNear()

local fresh = {'o', owner == '' and id or '=' .. owner, 't', string.format('%.0f', next), 'l', longest}
local function set(field, value)
  fresh[#fresh + 1] = field
  fresh[#fresh + 1] = value
end

if owner ~= '' then
  set('h', together)
end
if owner ~= '' and owner ~= SHARED then
  local now = math.floor((time[1] * 1000000 + time[2]) / 1000)
  for _, heir in ipairs(heirs) do
    set('u' .. heir[1], string.format('%.0f', now + heir[2]))
  end
end
if joins then
  set('q' .. beyond, again .. ' ' .. againLease)
  set('w' .. again, beyond)
  beyond = beyond + 1
  set('n', beyond)
end
if first < beyond then
  set('f', first)
else
  gone[#gone + 1] = 'f'
  gone[#gone + 1] = 'n'
end
if empty > 0 then
  set('x', empty)
end
if fields[8] or #missed > 0 then
  passed = remember(passed, missed)
  gone[#gone + 1] = 'd'
  if passed ~= '' then
    set('d', passed)
  end
end
-- Lua passes some thousand words to a command at most. An explicit owner may have more waiters than that.
for start = 1, #gone, 1000 do
  redis.call('HDEL', entry, unpack(gone, start, math.min(start + 999, #gone)))
end
for start = 1, #fresh, 1000 do
  redis.call('HSET', entry, unpack(fresh, start, math.min(start + 999, #fresh)))
end
redis.call('PEXPIRE', entry, longest)
sendMessages()
if again == '' then
  return {2, next}
elseif id == again then
  return {1, next, 1, next, waiting}
end
return {2, next, 0, tonumber(longest), waiting}
