-- The explicit owner that all readers of a lock share, and how many of the first in line request each second.
local SHARED, NEAR = '%shared', 12
-- Before the owner of a waiter that must be the owner's only hold.
local ALONE = '%!'
-- For how long in ms readers wait for a request of the first in line before they enter without it. Near the head of the
-- line, each sends a request once a second.
local SILENCE = 3000
