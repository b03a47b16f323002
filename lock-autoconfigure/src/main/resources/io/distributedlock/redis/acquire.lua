-- Acquires a lock, or returns the state of a busy one, and queues on request.
--
-- KEYS  1 the lock's entry, a hash:
--           o  the owner: an acquisition id, or "=" and the explicit owner; "=%shared" for readers together
--           t  its fencing token; as the only field, that of a free lock (see release.lua)
--           l  the longest lease in ms that its owner was given and may count on
--           h  acquisition ids of an explicit owner's holds: "id " for each
--           g  how many of those were released by name
--           u<id>  when the lease of that hold ends, in ms of the server's clock
--           d  acquisitions passed over in line since they did not listen: "id ", or "+id " if they sent a request
--              since, or sent one as the first in line which said that they do not listen
--         and only while acquisitions wait, each at a place, which is a whole number:
--           f  the first place   n  the place behind the last one   x  the number of empty places between them, if any
--           q<place>  "id lease", with " owner" if explicit, or " %!owner" if it must not enter with others of that
--               owner; at both ends of a row of empty places " first last"
--           w<id>  the place of that acquisition
--           s  only while readers own the lock: "id ms", since when (server's clock) the first in line has sent no
--               request
--           e<owner>  a place of the waiters with that explicit owner that may enter together   a<place>, b<place>
--               the next, the previous one
--       2 ids that were cancelled with unknown outcome, a hash; or the entry again while a cluster moves its slot,
--         since two keys are refused then: no id counts as cancelled
-- ARGV  1 acquisition id   2 lease in ms   3 highest token that the instance has seen
--       4 "0": does not queue, "2": queues, and its instance does not listen   and only for an explicit owner:
--       5 the owner   6 "1" if it may re-enter, "0" if it must be its only hold   or for a reader: 5 "%shared"   6 "1"
--       7 the acquisition id of a reader that owns while this one waited for the same turn, or absent
-- Returns
--       token as text                     granted, without waiters
--       {1, token, waiting}               granted; the same id again gets the same token, but a reader the next one, and
--                                         all one above ARGV 3 if that is higher and ahead of this server's clock,
--                                         unless an explicit owner has other holds
--       {0, ttl in ms, queued, token, repaired, ahead, waiting}   busy; ahead is at least the number of those before it
--       {2, token}                        the explicit owner has it and may not re-enter; it no longer waits either
--       {3, 0}                            the id was cancelled
--
-- One step, because another owner could acquire the lock between the read and the write, and because the token has to
-- be higher than all earlier ones: that of the entry, the server's clock in microseconds, and the highest one that the
-- instance has seen. The entry lasts exactly as long as its lease, so no other key needs an owner or a clean-up.
--
-- The TTL of an entry is never longer than l, unless another client changed it or the server's clock was set back. A
-- TTL that is missing or longer is set to l: the owner never relies on more, so this cannot end its hold early.
--
-- Messages are sent after the last write, since a server that refuses writes still delivers messages.
--
-- A reader joins the readers that hold the lock if there are no waiters. Behind a writer in line it waits as well, so
-- that a stream of readers does not starve the writer; the waiting readers enter together when readers have their turn.
-- Readers at the head of the line enter with the next request of any reader, and so do those behind waiters that do not
-- listen and have sent no request since that was found. Each reader that joins gets a token of its own. Readers wait
-- behind the first in line until it has sent no request for three seconds.
--
-- No step reads more than a few fields, however many wait. The first place and the last one are never empty.
--
-- The path of a free lock comes first and does only what it needs, since nearly every call takes it. There the token
-- stays text, since a conversion to a number and back costs as much as another call of Redis.

local entry, cancelled, id, lease, owner = KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[5]
local keys = redis.call('EXISTS', entry, cancelled)
local fields
local seen = ARGV[3]
if keys > 0 then
  fields = redis.call('HMGET', entry, 'o', 't', 'l', 'f', 'n', 'x', 'w' .. id, 'h', 'd')
  -- With one key and an owner, that key is the entry.
  if (keys == 2 or not fields[1]) and redis.call('HGET', cancelled, id) then
    return {3, 0}
  end
  local kept = not fields[1] and fields[2] and redis.call('HLEN', entry) == 1 and fields[2]
  if kept and (#kept > #seen or (#kept == #seen and kept > seen)) then
    seen = kept
  end
  if kept or (not fields[1] and redis.call('EXISTS', entry) == 0) then
    keys = 0
  end
end
if keys == 0 then
  local time = redis.pcall('TIME')
  if time.err then
    -- Redis does not name the command.
    return redis.error_reply('ERR TIME is refused: ' .. time.err)
  end
  local micros = time[2]
  local token = time[1] .. (#micros == 6 and micros or string.sub('00000' .. micros, -6))
  if #seen > #token or (#seen == #token and seen >= token) then
    token = string.format('%.0f', seen + 1)
  end
  if not owner then
    redis.call('HSET', entry, 'o', id, 't', token, 'l', lease)
  else
    redis.call('HSET', entry, 'o', '=' .. owner, 't', token, 'l', lease, 'h', id .. ' ')
    if owner ~= '%shared' then
      redis.call('HSET', entry, 'u' .. id, string.format('%.0f', time[1] * 1000 + math.floor(micros / 1000) + lease))
    end
  end
  local expires = redis.pcall('PEXPIRE', entry, lease)
  if type(expires) == 'table' then
    -- A user without that right must not leave a lock without an expiry.
    redis.call('DEL', entry)
    return expires
  end
  return token
end

local holder, token, holds = fields[1], tonumber(fields[2]), fields[8] or ''
if not holder or not token then
  return redis.error_reply('WRONGTYPE the key of this lock holds a hash that is not a lock')
end
--- @include "include/constants.lua"
--- @include "include/channels.lua"
--- @include "include/own-leases.lua"
local queues = ARGV[4] ~= '0'
local wanted = tonumber(lease)
local longest = tonumber(fields[3]) or wanted
local first, beyond, empty = tonumber(fields[4]), tonumber(fields[5]), tonumber(fields[6]) or 0
local place = tonumber(fields[7])
if not first or not beyond or first >= beyond then
  first, beyond, empty = 1, 1, 0
end
local waiting = beyond - first - empty
if place and not (place >= first and place < beyond) then
  place = nil
end

local ttl = redis.call('PTTL', entry)
local repaired = 0
if ttl < 0 or ttl > longest then
  -- A clock that is slewed or stepped a little may add a second, which is not reported.
  repaired = (ttl < 0 or ttl > longest + 1000) and 1 or 0
  redis.call('PEXPIRE', entry, longest)
  ttl = longest
end

-- Never shorter: this may be a late copy of a request.
local function lengthen()
  if ttl < wanted then
    redis.call('PEXPIRE', entry, lease)
    if wanted > longest then
      redis.call('HSET', entry, 'l', lease)
    end
  end
end

-- The only owner requests again, and its instance has seen a token that is higher, and ahead of this server's clock:
-- another instance that has not seen it handed the lock over. In a cluster, an earlier request of this id may also have
-- been delayed on its way to a server whose clock is behind, when its floor was below the tokens of holds that had
-- expired by then. The id has a tag there.
local function exceedFloor()
  local floor = tonumber(seen) or 0
  if floor > token or (floor == token and string.find(id, '{', 1, true)) then
    local time = redis.call('TIME')
    if floor > time[1] * 1000000 + time[2] then
      token = floor + 1
      -- Redis allows this write when it is out of memory, and then the next one too.
      redis.call('HDEL', entry, 't')
      redis.call('HSET', entry, 't', string.format('%.0f', token))
    end
  end
end

if holder == id and string.sub(id, 1, 1) ~= '=' then
  lengthen()
  exceedFloor()
  return {1, token, waiting}
end

-- Sends the messages to readers that entered, if any.
local sendAtEnd
local owns = owner and holder == '=' .. owner
local mine = owns and string.find(' ' .. holds, ' ' .. id .. ' ', 1, true)
if owns and owner == SHARED and not mine then
  --- @include "include/messages.lua"
  --- @include "include/waiting-line.lua"
  --- @include "include/readers.lua"
  --- @include "include/joining-reader.lua"
elseif owns then
  if not mine and ARGV[6] ~= '1' then
    if place then
      --- @include "include/messages.lua"
      --- @include "include/waiting-line.lua"
      leave(place, id, '')
      tellThoseNear()
      sendMessages()
    end
    return {2, token}
  end
  if not mine then
    redis.call('HSET', entry, 'h', holds .. id .. ' ')
    if fields[9] then
      --- @include "include/waiting-line.lua"
      local passed, known = forget(fields[9], id)
      if known and passed == '' then
        redis.call('HDEL', entry, 'd')
      elseif known then
        redis.call('HSET', entry, 'd', passed)
      end
    end
  end
  if owner ~= SHARED then
    setEnd(entry, id, wanted, true, math.max(longest, wanted))
    if holds == id .. ' ' then
      exceedFloor()
    end
  else
    -- The token of the entry may by now be that of another reader. Redis allows the first write when it is out of
    -- memory, and then the others too.
    local time = redis.call('TIME')
    token = math.max(time[1] * 1000000 + time[2], math.max(token, tonumber(seen)) + 1)
    redis.call('HDEL', entry, 't')
    redis.call('HSET', entry, 't', string.format('%.0f', token))
  end
  lengthen()
  return {1, token, waiting}
end

if queues and not place then
  local alone = owner and ARGV[6] ~= '1'
  local text = id .. ' ' .. lease .. (alone and ' ' .. ALONE .. owner or owner and ' ' .. owner or '')
  local passed = fields[9]
  local missed = passed and string.find(' ' .. passed, ' ' .. id .. ' ', 1, true)
  if missed then
    -- It is alive, although it does not listen: it has the first place, and the next release reserves the lock for it.
    redis.call('HSET', entry, 'd', string.sub(passed, 1, missed - 1) .. '+' .. string.sub(passed, missed))
  end
  waiting = waiting + 1
  if first >= beyond then
    first, place = 1, 1
    redis.call('HSET', entry, 'q1', text, 'w' .. id, '1', 'f', '1', 'n', '2')
  elseif missed then
    first = first - 1
    place = first
    redis.call('HSET', entry, 'q' .. place, text, 'w' .. id, place, 'f', place)
  else
    place = beyond
    redis.call('HSET', entry, 'q' .. place, text, 'w' .. id, place, 'n', place + 1)
  end
  if owner and not alone then
    local other = redis.call('HGET', entry, 'e' .. owner)
    if other then
      redis.call('HSET', entry, 'a' .. place, other, 'b' .. other, place)
    end
    redis.call('HSET', entry, 'e' .. owner, place)
  end
end
if queues and place == first then
  -- The first in line notifies the holder's instance that another one waits, again with each request, since messages
  -- may be lost.
  local holding = holder
  if holder == '=' .. SHARED and string.find(redis.call('HGET', entry, 's') or '', id .. ' ', 1, true) == 1 then
    -- Readers wait for this request, see joining-reader.lua.
    redis.pcall('HSET', entry, 's', id .. ' ' .. string.format('%.0f', serverTime()))
  end
  if string.sub(holder, 1, 1) == '=' then
    holding = string.match(holds, '^(%S+)') or ''
  end
  if ARGV[4] == '2' then
    -- The next release reserves the lock for it. It would pass over an instance that may be dead, and the holder could
    -- acquire the lock again before this one sends another request.
    local known = ' ' .. (redis.call('HGET', entry, 'd') or '')
    if not string.find(known, ' +' .. id .. ' ', 1, true) then
      if select(2, string.gsub(known, ' ', '')) > 8 then
        known = string.gsub(known, '^ %S+', '')
      end
      redis.call('HSET', entry, 'd', string.sub(known, 2) .. '+' .. id .. ' ')
    end
  end
  local instance = string.match(holding, '^[^.{]+')
  if instance and instance ~= string.match(id, '^[^.{]+') then
    publish(channel(holding), 'recall ' .. holding)
  end
end
if sendAtEnd then
  sendAtEnd()
end
local ahead = place and math.min(place - first, waiting - 1) or waiting
return {0, ttl, place and 1 or 0, token, repaired, ahead, waiting}
