-- Releases a lock, or a place in the line. A lock with a waiting instance is handed over in the same step.
--
-- KEYS  1 the lock's entry (see acquire.lua)   2 with ARGV 4: ids that were cancelled with unknown outcome
-- ARGV  1 acquisition id, explicit owner, or ""   2 highest token that the instance has seen
--       and optionally:   3 what is released: "id" (the default), "owner" (one hold of an explicit owner) or "force"
--       (any owner)   and for "id":   4 milliseconds to refuse the id from now on, or "0"
--       5 another acquisition id that queues in the same step if this one owned the lock, or ""   6 its lease
-- Returns
--       1                 free, without waiters
--       {1, token, ...}   free
--       {2, token, ...}   handed over to the first one in line, with that token
--       {3, token}        did not own it, but waited, and no longer does
--       {4, token}        one hold fewer of an explicit owner that has more
--       {0}               has no owner
--       {-1, token}       another caller owns it
-- with {…, 1, token, waiting} or {…, 0, ttl, waiting} at the end for the id that queued: granted or waiting.
--
-- One step, because a release that reads first and deletes afterwards can delete the lock of the next owner.
--
-- Read, write, notify. The script checks which instances listen, writes the new owner, and sends the messages after the
-- last write, only to the new owner, to acquisitions that have lost the lock, and to those that have come near the head
-- of the line. A message that is sent before the write arrives even if the server refuses the write (READONLY, MISCONF,
-- NOREPLICAS): then two instances would act as holders. The number that PUBLISH returns does not include subscribers at
-- a replica, which get the message all the same. An instance that does not listen here is dead, or sends requests by
-- itself; the script goes to the next one in line. One that was passed over like this and has sent a request since is
-- alive: the lock is reserved for it for two seconds, in which it sends its next request.
--
-- Readers own the lock together, as holds of one explicit owner do. If a waiter leaves the line while they have the
-- lock, and readers are then the first in line, these enter too. So do all readers in line at a hand-over to one of
-- them.
--
-- The cost does not depend on the number of waiters, only on how many are passed over and on how many enter together
-- for the same explicit owner. One call checks MOST_LOOKS places in line at most. If none of these listens, the lock
-- becomes free, and the next request gets it.
--
-- The first write is one that Redis allows when it is out of memory; it then allows the rest of the script too.
--
-- The path of a lock without waiters comes first: then the entry has an owner, a token, a lease, and nothing else.

local MOST_LOOKS = 1024
local NEAR = 12
local SHARED = '%shared'

local entry, subject, mode = KEYS[1], ARGV[1], ARGV[3]
local size = redis.pcall('HLEN', entry)

-- Channels and ids of a cluster have the tag of a slot, "<instance>{<tag>}".
local function isSharded(name)
  return string.find(name, '{', 1, true) ~= nil
end

-- Clocks of a cluster's servers differ, and a token may be ahead of the clock here. Then the token remains, without an
-- owner, until this clock has passed it: other instances may not know a clock that is so far ahead.
local function free(holders, token)
  redis.call('DEL', entry)
  if isSharded(holders) then
    local time = redis.call('TIME')
    local last = math.max(tonumber(token) or 0, tonumber(ARGV[2]) or 0)
    local ahead = last - time[1] * 1000000 - time[2]
    -- In a slot that is moving away, nothing can be written after the key is gone.
    if ahead >= 0 and type(redis.pcall('HSET', entry, 't', string.format('%.0f', last))) ~= 'table' then
      redis.call('PEXPIRE', entry, math.floor(ahead / 1000) + 2)
    end
  end
end

if size == 3 and not mode and redis.call('HGET', entry, 'o') == subject then
  free(subject, isSharded(subject) and redis.call('HGET', entry, 't'))
  return 1
end

-- The number of listeners of each of these channels at this server; 0 for a user without the right to PUBSUB.
local function look(wanted)
  local seen = redis.pcall('PUBSUB', isSharded(wanted[1]) and 'SHARDNUMSUB' or 'NUMSUB', unpack(wanted))
  return seen.err and {} or seen
end

-- A user without the right to publish can still release; then no instance gets a message.
local function publish(channel, text)
  redis.pcall(isSharded(channel) and 'SPUBLISH' or 'PUBLISH', channel, text .. ' ' .. entry)
end

-- Next comes a lock whose first in line listens and has no explicit owner. The number of fields shows that the entry
-- has nothing else, if no place is empty. The effect is the same as that of the rest of the script.
if not mode and type(size) ~= 'table' then
  local fields = redis.call('HMGET', entry, 'o', 'f', 'n', 't', 'x')
  local place, beyond, token = tonumber(fields[2]), tonumber(fields[3]), tonumber(fields[4])
  if fields[1] == subject and not fields[5] and token and place and beyond and size == 5 + 2 * (beyond - place) then
    local id, lease = string.match(redis.call('HGET', entry, 'q' .. place) or '', '^(%S+) (%d+)$')
    local channel = id and string.match(entry, '^[^{]*') .. 'instance:' .. (string.match(id, '^[^.]+') or '')
    if id and (look({channel})[2] or 0) > 0 then
      local time = redis.call('TIME')
      local next = math.max(time[1] * 1000000 + time[2], token + 1, ARGV[2] + 1)
      local text, waiting = string.format('%.0f', next), beyond - place - 1
      if waiting > 0 then
        redis.call('HDEL', entry, 'q' .. place, 'w' .. id)
        redis.call('HSET', entry, 'o', id, 't', text, 'l', lease, 'f', place + 1)
      else
        redis.call('HDEL', entry, 'q' .. place, 'w' .. id, 'f', 'n')
        redis.call('HSET', entry, 'o', id, 't', text, 'l', lease)
      end
      redis.call('PEXPIRE', entry, lease)
      publish(channel, 'grant ' .. id .. ' ' .. text .. ' ' .. lease .. ' ' .. waiting)
      if waiting >= NEAR then
        local near = string.match(redis.call('HGET', entry, 'q' .. place + NEAR) or '', '^%S+')
        if near then
          publish(string.match(entry, '^[^{]*') .. 'instance:' .. (string.match(near, '^[^.]+') or ''), 'near ' .. near)
        end
      end
      return {2, next}
    end
  end
end

-- An entry of a wrong type no longer represents a lock; a forced release gets the error of the type.
local fields = {}
if type(size) ~= 'table' then
  fields = redis.call('HMGET', entry, 'o', 't', 'f', 'n', 'x', 'h', 'g', 'd', 'q', 'w' .. subject,
    'w' .. (ARGV[5] or ''))
elseif not string.find(size.err, '^WRONGTYPE') or mode == 'owner' or mode == 'force' then
  return size
end
local cancelled, tombstone = KEYS[2], tonumber(ARGV[4] or '0')
local holder, token = fields[1], tonumber(fields[2])
local first, beyond, empty = tonumber(fields[3]), tonumber(fields[4]), tonumber(fields[5]) or 0
local holds, given = fields[6] or '', tonumber(fields[7]) or 0

if tombstone > 0 then
  redis.call('HDEL', cancelled, subject)
  redis.call('HSET', cancelled, subject, '')
  if redis.call('PTTL', cancelled) < tombstone then
    redis.call('PEXPIRE', cancelled, tombstone)
  end
end

if not holder or not token then
  return {0}
end

local function count(list, separator)
  local _, n = string.gsub(list, separator, '')
  return n
end

-- ---- listeners and messages

local channels = string.match(entry, '^[^{]*') .. 'instance:'

local function channel(id)
  return channels .. (string.match(id, '^[^.]+') or '')
end

local listeners = {}

local function lookAtAll(wanted)
  local seen = look(wanted)
  for i, each in ipairs(wanted) do
    listeners[each] = (seen[2 * i] or 0) > 0
  end
end

local function listens(id)
  local its = channel(id)
  if listeners[its] == nil then
    lookAtAll({its})
  end
  return listeners[its]
end

local messages = {}

local function message(id, text)
  messages[#messages + 1] = {channel(id), text}
end

local function tell()
  for _, each in ipairs(messages) do
    publish(each[1], each[2])
  end
end

-- ---- the line

if not first or not beyond or first >= beyond then
  first, beyond, empty = 1, 1, 0
end
local before = first

-- The acquisition at that place: id, lease, and the explicit owner or "". Nothing if it is empty.
local function at(place)
  return string.match(redis.call('HGET', entry, 'q' .. place) or '', '^(%S+) (%d+) ?(.*)$')
end

-- The first and the last of the row of empty places that begins or ends there, or nothing.
local function row(text)
  local from, to = string.match(text or '', '^ (%S+) (%S+)$')
  return tonumber(from), tonumber(to)
end

-- Empties a place; the others stay. Adjacent empty places are one row. The ends of the line are never empty.
local function leave(place, id)
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
    redis.call('HDEL', entry, 'f', 'n', 'x')
  else
    redis.call('HSET', entry, 'f', first, 'n', beyond)
    if empty > 0 then
      redis.call('HSET', entry, 'x', empty)
    else
      redis.call('HDEL', entry, 'x')
    end
  end
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

-- Takes the waiters with the same explicit owner out of the line, and returns id and lease of those that listen, in
-- order, and of the others.
local function takeAll(owner)
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
      leave(each, id)
      local list = listens(id) and present or absent
      list[#list + 1] = {id, lease}
    end
  end
  return present, absent
end

-- The latest eight that were passed over.
local function remember(passed, missed)
  for i = math.max(1, #missed - 7), #missed do
    passed = passed .. missed[i] .. ' '
  end
  while count(passed, ' ') > 8 do
    passed = string.gsub(passed, '^%S+ ', '')
  end
  return passed
end

-- Notifies acquisitions that have come near the head, which then send requests more often; acquire.lua has the rest.
local function tellThoseNear()
  for place = math.max(before + NEAR, first), math.min(first + NEAR, beyond) - 1 do
    local id = at(place)
    if id then
      message(id, 'near ' .. id)
    end
  end
end

-- Readers hold the lock, and a waiter before other readers has left: those enter too. Each gets a token.
local function letReadersIn()
  local _, _, its = at(first)
  if its ~= SHARED then
    return
  end
  local present, absent = takeAll(SHARED)
  local passed, missed = fields[8] or '', {}
  for _, each in ipairs(absent) do
    local start = string.find(' ' .. passed, ' +' .. each[1] .. ' ', 1, true)
    if start then
      passed = string.sub(passed, 1, start - 1) .. string.sub(passed, start + #each[1] + 2)
    end
    missed[#missed + 1] = each[1]
  end
  if #missed > 0 then
    redis.call('HSET', entry, 'd', remember(passed, missed))
  end
  if #present == 0 then
    return
  end
  local time = redis.call('TIME')
  token = math.max(time[1] * 1000000 + time[2], math.max(token, tonumber(ARGV[2])) + #present)
  local longest, waiting = 0, math.max(0, beyond - first - empty)
  for i, each in ipairs(present) do
    local text = string.format('%.0f', token - #present + i)
    holds = holds .. each[1] .. ' '
    longest = math.max(longest, tonumber(each[2]))
    message(each[1], 'grant ' .. each[1] .. ' ' .. text .. ' ' .. each[2] .. ' ' .. waiting)
  end
  redis.call('HSET', entry, 'h', holds, 't', string.format('%.0f', token))
  local ttl, given = redis.call('PTTL', entry), tonumber(redis.call('HGET', entry, 'l')) or 0
  if ttl < 0 then
    -- Another client removed it. The holders rely on the leases that they were granted.
    longest = math.max(longest, given)
  end
  if ttl < longest then
    redis.call('PEXPIRE', entry, longest)
    if longest > given then
      redis.call('HSET', entry, 'l', longest)
    end
  end
end

-- ---- the releasing acquisition

-- Only a whole acquisition id counts, not its end, nor the name of an explicit owner.
if (not mode or mode == 'id') and (holder ~= subject or string.sub(subject, 1, 1) == '=') then
  local start = string.find(' ' .. holds, ' ' .. subject .. ' ', 1, true)
  if start then
    holds = string.sub(holds, 1, start - 1) .. string.sub(holds, start + #subject + 1)
    if count(holds, ' ') - given > 0 then
      redis.call('HDEL', entry, 'h')
      redis.call('HSET', entry, 'h', holds)
      return {4, token}
    end
  else
    local place = tonumber(fields[10])
    local id, _, owner
    if place and place >= first and place < beyond then
      id, _, owner = at(place)
    end
    if id ~= subject then
      return {-1, token}
    end
    leave(place, id)
    if owner ~= '' then
      unlink(place, owner)
    end
    if holder == '=' .. SHARED then
      letReadersIn()
    end
    tellThoseNear()
    tell()
    return {3, token}
  end
elseif mode == 'owner' then
  if holder ~= '=' .. subject then
    return {-1, token}
  end
  given = given + 1
  if count(holds, ' ') - given > 0 then
    redis.call('HDEL', entry, 'g')
    redis.call('HSET', entry, 'g', given)
    return {4, token}
  end
end

-- The lock is passed on now. Acquisitions that still count as holders in their instances are notified.
local losers = holds
if mode == 'force' and string.sub(holder, 1, 1) ~= '=' then
  losers = holder
end
for id in string.gmatch(losers, '%S+') do
  message(id, 'revoke ' .. id)
end

local seen = tonumber(ARGV[2])
token = math.max(token, seen)
local again = ARGV[5] or ''
if again ~= '' and redis.call('HGET', cancelled, again) then
  again = ''
end
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
local gone = {'x'}
if fields[6] then
  gone[#gone + 1] = 'h'
end
if fields[7] then
  gone[#gone + 1] = 'g'
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

-- Whether it was passed over and has sent a request since.
local function asksByItself(id)
  local start = string.find(' ' .. passed, ' +' .. id .. ' ', 1, true)
  if start then
    passed = string.sub(passed, 1, start - 1) .. string.sub(passed, start + #id + 2)
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
    if id == again or listens(id) then
      heirs[1] = {id, lease}
    end
    local absent = owner ~= '' and enter(heirs, owner) or {}
    if owner == SHARED then
      if #heirs == 0 or heirs[1][1] ~= id then
        table.insert(absent, 1, {id, lease})
      end
      addThoseWhoAsk(heirs, absent)
      lease = heirs[1] and heirs[1][2] or lease
    elseif #heirs == 0 and asksByItself(id) then
      silent = true
      lease = string.format('%.0f', math.min(tonumber(lease), 2000))
      heirs[1] = {id, lease}
    end
  end
end
if #heirs == 0 and joins then
  joins = false
  id, lease, owner = again, ARGV[6], ''
  heirs[1] = {id, lease}
end
if #heirs == 0 then
  free(holder .. holds .. subject, token)
  tell()
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
if joins then
  set('q' .. beyond, again .. ' ' .. ARGV[6])
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
redis.call('HDEL', entry, unpack(gone))
redis.call('HSET', entry, unpack(fresh))
redis.call('PEXPIRE', entry, longest)
tell()
if again == '' then
  return {2, next}
elseif id == again then
  return {1, next, 1, next, waiting}
end
return {2, next, 0, tonumber(longest), waiting}
