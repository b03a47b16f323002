-- Gives a lock back, or a place in the queue. A lock with a waiting instance is handed over in the same step.
--
-- KEYS  1 the lock's entry (see acquire.lua)   2 with ARGV 4: ids that were cancelled with unknown outcome
-- ARGV  1 acquisition id, explicit owner, or ""   2 highest token that the instance has seen
--       and where it is wanted:   3 who gives back: "id" (also without it), "owner" (one hold of an explicit owner) or
--       "force" (any owner)   and for "id":   4 milliseconds to refuse the id from now on, or "0"
--       5 another acquisition id that queues in the same step if this one owned the lock, or ""   6 its lease
-- Gives 1                 free, and nobody waited
--       {1, token, ...}   free
--       {2, token, ...}   handed to the first one in line, who has that token
--       {3, token}        did not own it, but waited, and does no longer
--       {4, token}        one hold less of an explicit owner who has more
--       {0}               nobody owns it
--       {-1, token}       another caller owns it
-- with {…, 1, token, waiting} or {…, 0, ttl, waiting} at the end for the id that queued: granted or waiting.
--
-- One step, because a release that looks first and deletes afterwards can delete the lock of the next owner.
--
-- Look, write, tell. The script looks which instances listen, writes the new owner, and sends the messages after the last
-- write, only to who owns the lock now and to who has lost it. A message that is sent before the write is heard although the
-- server refuses the write (READONLY, MISCONF, NOREPLICAS): then two instances believe to hold the lock. And the number that
-- PUBLISH gives says nothing of subscribers at a replica, who hear it all the same. An instance that does not listen here is
-- dead, or asks by itself; the next one in line is looked at. One that was passed over like this and has asked again since
-- is alive: the lock is left to it for two seconds, in which it asks.
--
-- The first write is one that Redis allows when it is out of memory; it then allows the rest of the script too.
--
-- The way of a lock that nobody waits for comes first: then the entry has an owner, a token, a lease, and nothing else.

local entry, subject, mode = KEYS[1], ARGV[1], ARGV[3]
local owner = redis.pcall('HGET', entry, 'o')
if not mode and owner == subject and redis.call('HLEN', entry) == 3 then
  redis.call('DEL', entry)
  return 1
end

-- An entry of a wrong type is no entry of a lock any more; a forced release gets the error of the type.
local fields = {}
if type(owner) ~= 'table' then
  fields = redis.call('HMGET', entry, 'o', 't', 'q', 'h', 'g', 'd')
elseif not string.find(owner.err, '^WRONGTYPE') or mode == 'owner' or mode == 'force' then
  return owner
end
local cancelled, tombstone = KEYS[2], tonumber(ARGV[4] or '0')
local holder, token, line = fields[1], tonumber(fields[2] or ''), fields[3] or ''
local holds, given = fields[4] or '', tonumber(fields[5] or '0')

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

local function without(list, start, stop)
  return string.sub(list, 1, start - 1) .. string.sub(list, stop + 1)
end

local function count(list, separator)
  local _, n = string.gsub(list, separator, '')
  return n
end

local channels = string.match(entry, '^[^{]*') .. 'instance:'

local function channel(id)
  return channels .. (string.match(id, '^[^.]+') or '')
end

local listeners = {}

-- For a user without the right to look, nobody listens.
local function listens(id)
  local there = listeners[channel(id)]
  if there == nil then
    local seen = redis.pcall('PUBSUB', 'NUMSUB', channel(id))
    there = not seen.err and seen[2] > 0
    listeners[channel(id)] = there
  end
  return there
end

local messages = {}

local function message(id, text)
  messages[#messages + 1] = {channel(id), text .. ' ' .. entry}
end

-- A user without the right to publish can still release; then nobody hears it.
local function tell()
  for _, each in ipairs(messages) do
    redis.pcall('PUBLISH', each[1], each[2])
  end
end

-- Who is it? Only the whole of an acquisition id counts, not its end, nor the name of an explicit owner.
if (not mode or mode == 'id') and (holder ~= subject or string.sub(subject, 1, 1) == '=') then
  local at = string.find(' ' .. holds, ' ' .. subject .. ' ', 1, true)
  if at then
    holds = without(holds, at, at + #subject)
    if count(holds, ' ') - given > 0 then
      redis.call('HDEL', entry, 'h')
      redis.call('HSET', entry, 'h', holds)
      return {4, token}
    end
  else
    local place = string.find(';' .. line, ';' .. subject .. ' ', 1, true)
    if not place then
      return {-1, token}
    end
    line = without(line, place, string.find(line, ';', place, true) or #line)
    redis.call('HDEL', entry, 'q')
    if line ~= '' then
      redis.call('HSET', entry, 'q', line)
    end
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

-- The lock goes on now. Owners that still believe to have it get a message.
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
if again ~= '' and redis.call('HEXISTS', cancelled, again) == 1 then
  again = ''
end
if again ~= '' and not string.find(';' .. line, ';' .. again .. ' ', 1, true) then
  line = line .. again .. ' ' .. ARGV[6] .. ' ;'
end

-- Takes those out of the line who wait for the same explicit owner: all of them who listen enter together.
local function enter(heirs, shared)
  line = string.gsub(line, '(%S+) (%d+) ([^;]*);', function(id, lease, owner)
    if owner == shared then
      if listens(id) then
        heirs[#heirs + 1] = {id, lease}
      end
      return ''
    end
  end)
end

local passed = fields[6] or ''

-- Whether it was passed over and has asked again. Remembers it otherwise, as one of the latest eight.
local function asksByItself(id)
  local at = string.find(' ' .. passed, ' +' .. id .. ' ', 1, true)
  if at then
    passed = without(passed, at, at + #id + 1)
    return true
  end
  passed = passed .. id .. ' '
  if count(passed, ' ') > 8 then
    passed = string.gsub(passed, '^%S+ ', '')
  end
  return false
end

while line ~= '' do
  local id, lease, owner, rest = string.match(line, '^(%S+) (%d+) ([^;]*);(.*)$')
  if not id then
    -- Another caller wrote into the line. The instances in it ask again.
    break
  end
  line = rest
  local heirs = {}
  if id == again or listens(id) then
    heirs[1] = {id, lease}
  end
  if owner ~= '' then
    enter(heirs, owner)
  end
  local silent = #heirs == 0 and asksByItself(id)
  if silent then
    heirs[1] = {id, string.format('%.0f', math.min(tonumber(lease), 2000))}
    lease = heirs[1][2]
  end
  if #heirs > 0 then
    local time = redis.call('TIME')
    local next = math.max(time[1] * 1000000 + time[2], token + 1)
    local text = string.format('%.0f', next)
    local waiting = count(line, ';')
    local together, longest = '', lease
    for _, heir in ipairs(heirs) do
      together = together .. heir[1] .. ' '
      longest = tonumber(heir[2]) > tonumber(longest) and heir[2] or longest
      if heir[1] ~= again and not silent then
        message(heir[1], 'grant ' .. heir[1] .. ' ' .. text .. ' ' .. heir[2] .. ' ' .. waiting)
      end
    end
    redis.call('HDEL', entry, 'q', 'h', 'g', 'd')
    redis.call('HSET', entry, 'o', owner == '' and id or '=' .. owner, 't', text, 'l', longest)
    if owner ~= '' then
      redis.call('HSET', entry, 'h', together)
    end
    if line ~= '' then
      redis.call('HSET', entry, 'q', line)
    end
    if passed ~= '' then
      redis.call('HSET', entry, 'd', passed)
    end
    redis.call('PEXPIRE', entry, longest)
    tell()
    if again == '' then
      return {2, next}
    elseif id == again then
      return {1, next, 1, next, waiting}
    end
    return {2, next, 0, tonumber(longest), waiting}
  end
end
redis.call('DEL', entry)
tell()
return {1, token}
