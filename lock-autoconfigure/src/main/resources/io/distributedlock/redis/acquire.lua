-- Acquires a lock, or returns the state of a busy one, and queues on request.
--
-- KEYS  1 the lock's entry, a hash:
--           o  the owner: an acquisition id, or "=" and the explicit owner; "=%shared" for readers together
--           t  its fencing token; as the only field, that of a free lock (see release.lua)
--           l  the longest lease in ms that its owner was given and may count on
--           h  acquisition ids of an explicit owner's holds: "id " for each
--           g  how many of those were released by name
--           d  acquisitions passed over in line since they did not listen: "id ", "+id " after another request
--         and only while acquisitions wait, each at a place, which is a whole number:
--           f  the first place   n  the place behind the last one   x  the number of empty places between them, if any
--           q<place>  "id lease", with " owner" if explicit; at both ends of a row of empty places " first last"
--           w<id>  the place of that acquisition
--           e<owner>  a place of the waiters with that explicit owner   a<place>, b<place>  the next, the previous one
--       2 ids that were cancelled with unknown outcome, a hash; or the entry again while a cluster moves its slot,
--         since two keys are refused then: no id counts as cancelled
-- ARGV  1 acquisition id   2 lease in ms   3 highest token that the instance has seen   4 "0": does not queue
--       and only for an explicit owner: 5 the owner   6 "1" if it may re-enter   or for a reader: 5 "%shared"   6 "1"
--       7 the acquisition id of a reader that entered while this one waited for the same turn, or absent
-- Returns
--       token as text                     granted, without waiters
--       {1, token, waiting}               granted; the same id again gets the same token, but a reader the next one
--       {0, ttl in ms, queued, token, repaired, ahead, waiting}   busy; ahead is at least the number of those before it
--       {2, token}                        the explicit owner has it and may not re-enter
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
-- listen and have sent no request since that was found. Each reader that joins gets a token of its own.
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
  local time = redis.call('TIME')
  local micros = time[2]
  local token = time[1] .. (#micros == 6 and micros or string.sub('00000' .. micros, -6))
  if #seen > #token or (#seen == #token and seen >= token) then
    token = string.format('%.0f', seen + 1)
  end
  if not owner then
    redis.call('HSET', entry, 'o', id, 't', token, 'l', lease)
  else
    redis.call('HSET', entry, 'o', '=' .. owner, 't', token, 'l', lease, 'h', id .. ' ')
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
local queues = ARGV[4] ~= '0'
local wanted = tonumber(lease)
local longest = tonumber(fields[3]) or wanted
local first, beyond, empty = tonumber(fields[4]), tonumber(fields[5]), tonumber(fields[6]) or 0
local place = tonumber(fields[7])
if not first or not beyond or first >= beyond then
  first, beyond, empty = nil, nil, 0
end
local waiting = first and beyond - first - empty or 0
if place and not (first and place >= first and place < beyond) then
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

-- The number of receivers is ignored; a user without the right to publish can still wait.
local function send(to, text)
  local command = string.find(to, '{', 1, true) and 'SPUBLISH' or 'PUBLISH'
  redis.pcall(command, string.match(entry, '^[^{]*') .. 'instance:' .. to, text .. ' ' .. entry)
end

if holder == id and string.sub(id, 1, 1) ~= '=' then
  lengthen()
  return {1, token, waiting}
end

local messages = {}

local function tell()
  for _, each in ipairs(messages) do
    send(each[1], each[2])
  end
end

if owner == '%shared' and holder == '=%shared' and not string.find(' ' .. holds, ' ' .. id .. ' ', 1, true) then
  local MOST_LOOKS, NEAR = 128, 12
  local before = first
  local passed = fields[9] or ''
  local known = passed

  local function instanceOf(other)
    return string.match(other, '^[^.]+') or ''
  end

  -- A user without the right to PUBSUB gets no listeners.
  local function listens(other)
    local command = string.find(other, '{', 1, true) and 'SHARDNUMSUB' or 'NUMSUB'
    local seen = redis.pcall('PUBSUB', command, string.match(entry, '^[^{]*') .. 'instance:' .. instanceOf(other))
    return not seen.err and (seen[2] or 0) > 0
  end

  local function at(where)
    return string.match(redis.call('HGET', entry, 'q' .. where) or '', '^(%S+) (%d+) ?(.*)$')
  end

  local function row(text)
    local from, to = string.match(text or '', '^ (%S+) (%S+)$')
    return tonumber(from), tonumber(to)
  end

  -- Takes a place out of the line and out of the chain of its owner, as in release.lua.
  local function leave(where, other, its)
    local beside = redis.call('HMGET', entry, 'q' .. where - 1, 'q' .. where + 1, 'a' .. where, 'b' .. where)
    local from = row(beside[1])
    local _, to = row(beside[2])
    redis.call('HDEL', entry, 'w' .. other, 'q' .. where, 'a' .. where, 'b' .. where, 'q' .. (from or where),
      'q' .. (from and where - 1 or where), 'q' .. (to or where), 'q' .. (to and where + 1 or where))
    from, to = from or where, to or where
    if where == first then
      first, empty = to + 1, empty - (to - where)
    elseif where == beyond - 1 then
      beyond, empty = from, empty - (where - from)
    else
      empty = empty + 1
      redis.call('HSET', entry, 'q' .. from, ' ' .. from .. ' ' .. to, 'q' .. to, ' ' .. from .. ' ' .. to)
    end
    redis.call('HDEL', entry, 'x')
    if first >= beyond then
      redis.call('HDEL', entry, 'f', 'n')
    else
      redis.call('HSET', entry, 'f', first, 'n', beyond)
      if empty > 0 then
        redis.call('HSET', entry, 'x', empty)
      end
    end
    if its ~= '' then
      local after, previous = beside[3], beside[4]
      if after then
        redis.call('HSET', entry, previous and 'a' .. previous or 'e' .. its, after)
        if previous then
          redis.call('HSET', entry, 'b' .. after, previous)
        else
          redis.call('HDEL', entry, 'b' .. after)
        end
      else
        redis.call('HDEL', entry, previous and 'a' .. previous or 'e' .. its)
      end
    end
  end

  local function forget(other)
    local start, last = string.find(' ' .. passed, ' %+?' .. string.gsub(other, '%p', '%%%0') .. ' ')
    if start then
      passed = string.sub(passed, 1, start - 1) .. string.sub(passed, last)
    end
    return start
  end

  local function pass(where, other, its)
    leave(where, other, its)
    forget(other)
    passed = passed .. other .. ' '
    while select(2, string.gsub(passed, ' ', '')) > 8 do
      passed = string.gsub(passed, '^%S+ ', '')
    end
  end

  -- An instance that does not listen and has sent no request since is dead, or regains its place by its next request.
  local head, its, looks, _ = nil, nil, 0, nil
  while first and first < beyond and looks < MOST_LOOKS do
    head, _, its = at(first)
    local asked = head and its ~= owner and string.find(' ' .. passed, ' +' .. head .. ' ', 1, true)
    if not head or head == id or asked or listens(head) then
      break
    end
    pass(first, head, its)
    head, its, looks = nil, nil, looks + 1
  end

  local entering = {}
  local comes = (ARGV[7] and string.find(' ' .. holds, ' ' .. ARGV[7] .. ' ', 1, true)) or (not place and forget(id))
  if its == owner then
    local places = {}
    local each = redis.call('HGET', entry, 'e' .. owner)
    while each do
      places[#places + 1] = tonumber(each)
      each = redis.call('HGET', entry, 'a' .. each)
    end
    table.sort(places)
    for _, where in ipairs(places) do
      local other, its_lease = at(where)
      if other == id then
        comes = true
      elseif other and listens(other) then
        leave(where, other, owner)
        entering[#entering + 1] = {other, its_lease}
      elseif other then
        pass(where, other, owner)
      end
    end
  end
  if not first or first >= beyond then
    comes = true
  end
  if comes and place then
    leave(place, id, owner)
    place = nil
  end
  if comes then
    forget(id)
    entering[#entering + 1] = {id, lease}
  end
  waiting = first and math.max(0, beyond - first - empty) or 0
  if waiting == 0 then
    first, beyond, empty = nil, nil, 0
  end

  if #entering > 0 then
    local time = redis.call('TIME')
    local before = math.max(token, tonumber(ARGV[3]))
    token = math.max(time[1] * 1000000 + time[2], before + #entering)
    local most = wanted
    for i, each in ipairs(entering) do
      holds = holds .. each[1] .. ' '
      most = math.max(i == 1 and 0 or most, tonumber(each[2]))
      if each[1] ~= id then
        local text = string.format('%.0f', token - #entering + i)
        local grant = 'grant ' .. each[1] .. ' ' .. text .. ' ' .. each[2] .. ' ' .. waiting
        messages[#messages + 1] = {instanceOf(each[1]), grant}
      end
    end
    local longer = string.format('%.0f', math.max(longest, most))
    redis.call('HSET', entry, 'h', holds, 't', string.format('%.0f', token), 'l', longer)
    if ttl < most then
      redis.call('PEXPIRE', entry, most)
      ttl = most
    end
  end
  -- An acquisition that has come near the head sends requests more often from now on, as in release.lua.
  if first then
    for where = math.max(before + NEAR, first), math.min(first + NEAR, beyond) - 1 do
      local other = at(where)
      if other then
        messages[#messages + 1] = {instanceOf(other), 'near ' .. other}
      end
    end
  end
  if passed ~= known then
    if passed == '' then
      redis.call('HDEL', entry, 'd')
    else
      redis.call('HSET', entry, 'd', passed)
    end
    fields[9] = passed
  end
  if comes then
    tell()
    return {1, token, waiting}
  end
elseif owner and holder == '=' .. owner then
  local mine = string.find(' ' .. holds, ' ' .. id .. ' ', 1, true)
  if not mine and ARGV[6] ~= '1' then
    return {2, token}
  end
  if not mine then
    redis.call('HSET', entry, 'h', holds .. id .. ' ')
  end
  if owner == '%shared' then
    -- The token of the entry may by now be that of another reader.
    local time = redis.call('TIME')
    token = math.max(time[1] * 1000000 + time[2], math.max(token, tonumber(ARGV[3])) + 1)
    redis.call('HSET', entry, 't', string.format('%.0f', token))
  end
  lengthen()
  return {1, token, waiting}
end

if queues and not place then
  local text = owner and id .. ' ' .. lease .. ' ' .. owner or id .. ' ' .. lease
  local passed = fields[9]
  local missed = passed and string.find(' ' .. passed, ' ' .. id .. ' ', 1, true)
  if missed then
    -- It is alive, although it does not listen: it has the first place, and the next release reserves the lock for it.
    redis.call('HSET', entry, 'd', string.sub(passed, 1, missed - 1) .. '+' .. string.sub(passed, missed))
  end
  waiting = waiting + 1
  if not first then
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
  if owner then
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
  if string.sub(holder, 1, 1) == '=' then
    holding = string.match(holds, '^(%S+)') or ''
  end
  local instance = string.match(holding, '^[^.]+')
  if instance and string.match(instance, '^[^{]+') ~= string.match(id, '^[^.{]+') then
    send(instance, 'recall ' .. holding)
  end
end
tell()
local ahead = place and math.min(place - first, waiting - 1) or waiting
return {0, ttl, place and 1 or 0, token, repaired, ahead, waiting}
