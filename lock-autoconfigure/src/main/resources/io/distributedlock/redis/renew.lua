-- Extends leases that are still owned. Creates nothing.
--
-- KEYS  the entries (see acquire.lua)
-- ARGV  for each of them: acquisition id, lease in ms, the token of the latest hold, "1" if it may get shorter
-- Gives for each of them, one after the other: 1 renewed or 0 not owned, the entry's token or 0, how many wait
--
-- An entry of a wrong type is none of ours any more, and must not spoil the answer for the others. A lease gets shorter only
-- where that is wanted, as this may be a late copy of a renewal; that of an explicit owner never does, who may have holds in
-- several instances. The first write is one that Redis allows when it is out of memory; it then allows the others too.

local answer = {}
for i, entry in ipairs(KEYS) do
  local id, lease, passed, shorten = unpack(ARGV, 4 * i - 3, 4 * i)
  local fields = redis.pcall('HMGET', entry, 'o', 't', 'q', 'h')
  if fields.err and not string.find(fields.err, '^WRONGTYPE') then
    return fields
  end
  local holder, token = fields[1], tonumber(fields[2] or '0') or 0
  local mine = holder == id
  local shared = holder and string.sub(holder, 1, 1) == '='
  if shared then
    mine = string.find(' ' .. (fields[4] or ''), ' ' .. id .. ' ', 1, true)
  end
  if mine then
    if shorten == '1' and not shared or redis.call('PTTL', entry) < tonumber(lease) then
      redis.call('PEXPIRE', entry, lease)
    end
    if tonumber(passed) > token then
      token = tonumber(passed)
      redis.call('HDEL', entry, 't')
      redis.call('HSET', entry, 't', passed)
    end
  end
  local _, waiting = string.gsub(fields[3] or '', ';', '')
  answer[3 * i - 2], answer[3 * i - 1], answer[3 * i] = mine and 1 or 0, token, waiting
end
return answer
