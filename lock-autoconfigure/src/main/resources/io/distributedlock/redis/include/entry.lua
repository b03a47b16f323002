-- Reads the entry of a lock that is released; acquire.lua describes its fields.
-- Uses: entry, subject (what is released), again (an acquisition id that queues, or "").
-- Returns {0} for an entry without an owner.

local fields = redis.call('HMGET', entry, 'o', 't', 'f', 'n', 'x', 'h', 'g', 'd', 'q', 'w' .. subject, 'w' .. again)
local holder, token = fields[1], tonumber(fields[2])
local first, beyond, empty = tonumber(fields[3]), tonumber(fields[4]), tonumber(fields[5]) or 0
local holds, given = fields[6] or '', tonumber(fields[7]) or 0
if not holder or not token then
  return {0}
end
if not first or not beyond or first >= beyond then
  first, beyond, empty = 1, 1, 0
end

-- How many holds of an explicit owner, or of readers, are left.
local function remaining()
  return select(2, string.gsub(holds, ' ', '')) - given
end
