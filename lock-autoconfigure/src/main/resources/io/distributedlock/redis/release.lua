-- Releases a lock, or a place in the line. A lock with a waiting instance is handed over in the same step.
--
-- KEYS  1 the lock's entry (see acquire.lua)   2 with ARGV 3: ids that were cancelled with unknown outcome
-- ARGV  1 acquisition id   2 highest token that the instance has seen, "+" before it if it may be ahead of the clock
--       and optionally:   3 milliseconds to refuse the id from now on, or "0"
--       4 another acquisition id that queues in the same step if this one owned the lock, or ""   5 its lease
--       6 "1" if this was a hold of an explicit owner that has ended without being closed
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
-- Readers own the lock together, as holds of one explicit owner do. If a waiter leaves the line while they have the
-- lock, and readers are then the first in line, these enter too.
--
-- The first write is one that Redis allows when it is out of memory; it then allows the rest of the script too.
--
-- The path of a lock without waiters comes first: then the entry has an owner, a token, a lease, and nothing else.

local entry, subject, seen, again, againLease = KEYS[1], ARGV[1], ARGV[2], ARGV[4] or '', ARGV[5]
local plain = not ARGV[3]
local size = redis.pcall('HLEN', entry)

--- @include "include/free.lua"

if size == 3 and plain and redis.call('HGET', entry, 'o') == subject then
  free(subject)
  return 1
end

--- @include "include/constants.lua"
--- @include "include/channels.lua"

-- Next comes a lock whose first in line listens and has no explicit owner. The number of fields shows that the entry
-- has nothing else, if no place is empty. The effect is the same as that of the rest of the script.
if plain and type(size) ~= 'table' then
  local fields = redis.call('HMGET', entry, 'o', 'f', 'n', 't', 'x')
  local place, beyond, token = tonumber(fields[2]), tonumber(fields[3]), tonumber(fields[4])
  if fields[1] == subject and not fields[5] and token and place and beyond and size == 5 + 2 * (beyond - place) then
    local id, lease = string.match(redis.call('HGET', entry, 'q' .. place) or '', '^(%S+) (%d+)$')
    local its = id and channel(id)
    if id and (look({its})[2] or 0) > 0 then
      local time = redis.call('TIME')
      local next = math.max(time[1] * 1000000 + time[2], token + 1, seen + 1)
      local text, waiting = string.format('%.0f', next), beyond - place - 1
      if waiting > 0 then
        redis.call('HDEL', entry, 'q' .. place, 'w' .. id)
        redis.call('HSET', entry, 'o', id, 't', text, 'l', lease, 'f', place + 1)
      else
        redis.call('HDEL', entry, 'q' .. place, 'w' .. id, 'f', 'n')
        redis.call('HSET', entry, 'o', id, 't', text, 'l', lease)
      end
      redis.call('PEXPIRE', entry, lease)
      publish(its, 'grant ' .. id .. ' ' .. text .. ' ' .. lease .. ' ' .. waiting)
      if waiting >= NEAR then
        local near = string.match(redis.call('HGET', entry, 'q' .. place + NEAR) or '', '^%S+')
        if near then
          publish(channel(near), 'near ' .. near)
        end
      end
      return {2, next}
    end
  end
end

if type(size) == 'table' and not string.find(size.err, '^WRONGTYPE') then
  return size
end
local cancelled, tombstone = KEYS[2], tonumber(ARGV[3] or '0')
if tombstone > 0 then
  redis.call('HDEL', cancelled, subject)
  redis.call('HSET', cancelled, subject, '')
  if redis.call('PTTL', cancelled) < tombstone then
    redis.call('PEXPIRE', cancelled, tombstone)
  end
end
if type(size) == 'table' then
  -- An entry of a wrong type no longer represents a lock.
  return {0}
end

--- @include "include/entry.lua"
--- @include "include/own-leases.lua"
--- @include "include/ended-holds.lua"
--- @include "include/messages.lua"
--- @include "include/waiting-line.lua"

-- Only a whole acquisition id counts, not its end, nor the name of an explicit owner.
if holder ~= subject or string.sub(subject, 1, 1) == '=' then
  local start = string.find(' ' .. holds, ' ' .. subject .. ' ', 1, true)
  if start then
    holds = string.sub(holds, 1, start - 1) .. string.sub(holds, start + #subject + 1)
    if ARGV[6] == '1' then
      -- If a hold was released by name, it was this one, so that none is taken from the others.
      given = math.max(0, given - 1)
    end
    if holder ~= '=' .. SHARED then
      removeEnded(subject)
    end
    if remaining() > 0 then
      writeHolds()
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
    leave(place, id, owner)
    if holder == '=' .. SHARED then
      --- @include "include/readers.lua"
      -- A waiter before other readers has left, while readers hold the lock: those enter too.
      local _, _, its = at(first)
      if its == SHARED then
        local known = fields[8] or ''
        local present, passed = takeReaders(known)
        if passed ~= known then
          redis.call('HSET', entry, 'd', passed)
        end
        if #present > 0 then
          admit(present, redis.call('PTTL', entry), tonumber(redis.call('HGET', entry, 'l')) or 0)
        end
      end
    end
    tellThoseNear()
    sendMessages()
    return {3, token}
  end
end

if again ~= '' and redis.call('HGET', cancelled, again) then
  again = ''
end
local losers = holds
--- @include "include/hand-over.lua"
