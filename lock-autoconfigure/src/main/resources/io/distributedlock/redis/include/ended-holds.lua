-- Ends holds of an explicit owner. Uses: entry.lua, own-leases.lua.

local function forgetEnds(ids)
  eachEnds(ids, function(fields)
    redis.call('HDEL', entry, unpack(fields))
  end)
end

-- Removes the holds whose own leases have ended: their instances have died, or know that they have lost them. A hold
-- that was released by name was one of these, so that none is taken from the others. What remains lasts as long as the
-- last of them.
-- released: the id of a hold that is no longer among them, or ""
local function removeEnded(released)
  if holder == '=%shared' or holds == '' then
    return
  end
  local ended = ''
  local last = untilLastEnd(entry, holds, aheadOfEnds(entry, holds .. released), function(id)
    ended = ended .. id .. ' '
    given = math.max(0, given - 1)
  end)
  for id in string.gmatch(ended, '%S+') do
    local start = string.find(' ' .. holds, ' ' .. id .. ' ', 1, true)
    holds = string.sub(holds, 1, start - 1) .. string.sub(holds, start + #id + 1)
  end
  if remaining() > 0 and last and last < redis.call('PTTL', entry) then
    redis.call('PEXPIRE', entry, math.max(1, last))
  end
  forgetEnds(ended .. released)
end

-- Writes the holds that remain. The first write is one that Redis allows when it is out of memory.
local function writeHolds()
  redis.call('HDEL', entry, 'h')
  redis.call('HSET', entry, 'h', holds)
  if given > 0 then
    redis.call('HSET', entry, 'g', given)
  elseif fields[7] then
    redis.call('HDEL', entry, 'g')
  end
end
