-- The explicit owner that all readers of a lock share, and how many of the first in line request each second.
local SHARED, NEAR = '%shared', 12
-- Before the owner of a waiter that must be the owner's only hold.
local ALONE = '%!'
