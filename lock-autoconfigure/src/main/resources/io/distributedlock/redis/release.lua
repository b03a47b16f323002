-- Gives a lock back, or a place in the queue. A lock that somebody waits for is handed over in the same step.
--
-- KEYS  1 the lock's entry (see acquire.lua)   2 with ARGV 4: ids that were cancelled with unknown outcome
-- ARGV  1 acquisition id, explicit owner, or ""   2 highest token that the instance has seen
--       and where it is wanted:   3 who gives back: "id" (also without it), "owner" (one hold of an explicit owner) or
--       "force" (whoever has it)   and for "id":   4 milliseconds to refuse the id from now on, or "0"
--       5 another acquisition id that queues in the same step if this one owned the lock, or ""   6 its lease
-- Gives 1                 free, and nobody waited
--       {1, token, ...}   free
--       {2, token, ...}   handed to the first one in line, who has that token
--       {3, token}        did not own it, but waited, and does no longer
--       {4, token}        one hold less of an explicit owner who has more
--       {0}               nobody owns it
--       {-1, token}       somebody else owns it
-- with {…, 1, token, waiting} or {…, 0, ttl, waiting} at the end for the id that queued: granted or waiting.
--
-- One step, because a release that looks first and deletes afterwards can delete the lock of the next owner. The message
-- goes to the one instance that gets the lock. Nobody there to hear it means that it is dead, and the next one is asked.
-- The first write is one that Redis allows when it is out of memory; it then allows the rest of the script too.
--
-- The way of a lock that nobody waits for comes first: then the entry has an owner, a token, and nothing else.

local entry, subject, mode = KEYS[1], ARGV[1], ARGV[3]
local owner = redis.pcall('HGET', entry, 'o')
if not mode and owner == subject and redis.call('HLEN', entry) == 2 then
  redis.call('DEL', entry)
  return 1
end

-- An entry of a wrong type is none of ours any more; whoever takes a lock away by name is told of the type.
local fields = {}
if type(owner) ~= 'table' then
  fields = redis.call('HMGET', entry, 'o', 't', 'q', 'h', 'g')
elseif not string.find(owner.err, '^WRONGTYPE') or mode == 'owner' or mode == 'force' then
  return owner
end
local cancelled, tombstone = KEYS[2], ARGV[4] or '0'
local holder, token, line = fields[1], tonumber(fields[2] or ''), fields[3] or ''
local holds, given = fields[4] or '', tonumber(fields[5] or '0')

local function refuse(answer)
  if tonumber(tombstone) > 0 then
    redis.call('HDEL', cancelled, subject)
    redis.call('HSET', cancelled, subject, '')
    if redis.call('PTTL', cancelled) < tonumber(tombstone) then
      redis.call('PEXPIRE', cancelled, tombstone)
    end
  end
  return answer
end

if not holder or not token then
  return refuse({0})
end

local function without(list, start, stop)
  return string.sub(list, 1, start - 1) .. string.sub(list, stop + 1)
end

local function count(list, separator)
  local _, n = string.gsub(list, separator, '')
  return n
end

local channels = string.match(entry, '^[^{]*') .. 'instance:'

local function publish(id, message)
  -- A user without the right to publish can still release; then nobody hears it.
  local heard = redis.pcall('PUBLISH', channels .. (string.match(id, '^[^.]+') or ''), message .. ' ' .. entry)
  return type(heard) == 'number' and heard or 0
end

local function revoke(ids)
  for id in string.gmatch(ids, '%S+') do
    publish(id, 'revoke ' .. id)
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
      return refuse({4, token})
    end
  else
    local place = string.find(';' .. line, ';' .. subject .. ' ', 1, true)
    if not place then
      return refuse({-1, token})
    end
    line = without(line, place, string.find(line, ';', place, true) or #line)
    redis.call('HDEL', entry, 'q')
    if line ~= '' then
      redis.call('HSET', entry, 'q', line)
    end
    return refuse({3, token})
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

-- The lock is free now. Those who still believe to have it are told.
if mode == 'force' and string.sub(holder, 1, 1) ~= '=' then
  revoke(holder)
else
  revoke(holds)
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

while line ~= '' do
  local id, lease, owner, rest = string.match(line, '^(%S+) (%d+) ([^;]*);(.*)$')
  if not id then
    -- Somebody else wrote into the line. Whoever stands in it asks again.
    break
  end
  line = rest
  local time = redis.call('TIME')
  local next = math.max(time[1] * 1000000 + time[2], token + 1)
  local text = string.format('%.0f', next)
  local together = id .. ' '
  if owner ~= '' then
    -- Others of the same explicit owner enter with it.
    line = string.gsub(line, '(%S+) %d+ ([^;]*);', function(other, its)
      if its == owner then
        together = together .. other .. ' '
        return ''
      end
    end)
  end
  local waiting = count(line, ';')
  local heard = id == again
  for each in string.gmatch(together, '%S+') do
    if each ~= again and publish(each, 'grant ' .. each .. ' ' .. text .. ' ' .. lease .. ' ' .. waiting) > 0 then
      heard = true
    end
  end
  if heard then
    redis.call('HDEL', entry, 'q', 'h', 'g')
    redis.call('HSET', entry, 'o', owner == '' and id or '=' .. owner, 't', text)
    if owner ~= '' then
      redis.call('HSET', entry, 'h', together)
    end
    if line ~= '' then
      redis.call('HSET', entry, 'q', line)
    end
    redis.call('PEXPIRE', entry, lease)
    if again == '' then
      return refuse({2, next})
    elseif id == again then
      return refuse({1, next, 1, next, waiting})
    end
    return refuse({2, next, 0, tonumber(lease), waiting})
  end
end
redis.call('DEL', entry)
return refuse({1, token})
