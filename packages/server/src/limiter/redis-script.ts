/** Only the end that is kept decides; the key goes a little later, so that two clocks need not agree. */
const slackMs = 5000;

/**
 * Counts one hit: KEYS[1] is the source, ARGV[1] the length of a window in microseconds, ARGV[2] the time in
 * microseconds since the epoch, or nothing for the server's own clock. Answers the count, the end of the window and the
 * time.
 *
 * The value is the end of the window and the count, so that every node tells the same end. It is written with a time to
 * live at every hit, which also mends a key that somebody else made immortal; a value that is no window, or not even
 * text, is replaced by a new window. A window that would end later than one window from now was opened before the
 * server's clock was set back, or when windows were longer; it ends one window from now.
 */
export const hitScript = `
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
local window = tonumber(ARGV[1])
local value = redis.pcall('GET', KEYS[1])
local ends, count
if type(value) == 'string' then
  ends, count = string.match(value, '^(%d+) (%d+)$')
  ends, count = tonumber(ends), tonumber(count)
end
if not ends or now >= ends then
  ends, count = now + window, 0
elseif ends - now > window then
  ends = now + window
end
count = count + 1
value = string.format('%.0f %.0f', ends, count)
redis.call('SET', KEYS[1], value, 'PX', math.ceil((ends - now) / 1000) + ${slackMs})
return { count, string.format('%.0f', ends), string.format('%.0f', now) }
`;
