-- The channels of instances. Uses: entry. Those of a cluster have the tag of a slot, "<instance>{<tag>}".

local function channel(id)
  return string.match(entry, '^[^{]*') .. 'instance:' .. (string.match(id, '^[^.]+') or '')
end

-- Each of these channels and the number of its listeners at this server; nothing for a user without the right to
-- PUBSUB. The number that PUBLISH returns is no substitute: it does not include subscribers at a replica, which get the
-- message all the same.
local function look(channels)
  local command = string.find(channels[1], '{', 1, true) and 'SHARDNUMSUB' or 'NUMSUB'
  local counts = redis.pcall('PUBSUB', command, unpack(channels))
  return counts.err and {} or counts
end

-- Sends a message, after the last write: one that is sent before arrives even if the server then refuses the write
-- (READONLY, MISCONF, NOREPLICAS), and two instances would act as holders. A user without the right to publish can
-- still release, or wait; then no instance gets a message.
local function publish(to, text)
  redis.pcall(string.find(to, '{', 1, true) and 'SPUBLISH' or 'PUBLISH', to, text .. ' ' .. entry)
end
