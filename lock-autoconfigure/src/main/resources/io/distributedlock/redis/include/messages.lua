-- What is known about listeners, and messages that are sent at the end. Uses: channels.lua.

-- Whether a channel has listeners, as far as that is known.
local listeners = {}

-- Whether the server refuses to count them. Then no instance seems to listen, and nothing follows from that.
local uncounted = false

local function lookAtAll(channels)
  local counts = look(channels)
  uncounted = not counts[2]
  for i, each in ipairs(channels) do
    listeners[each] = (counts[2 * i] or 0) > 0
  end
end

-- Whether the instance of that acquisition is known to listen. One that does not is dead, or sends requests by itself.
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

local function sendMessages()
  for _, each in ipairs(messages) do
    publish(each[1], each[2])
  end
end
