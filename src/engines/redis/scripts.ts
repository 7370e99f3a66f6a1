/** Counts a use in a fixed window: returns the number of uses, and the milliseconds until the window ends. */
export const COUNT = `local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {count, redis.call('PTTL', KEYS[1])}`

/** Takes one of ARGV[2] uses within the last ARGV[1] milliseconds: returns 1, or 0 when there are none left. */
export const TAKE = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now, time[1] .. '.' .. time[2] .. '.' .. ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`
