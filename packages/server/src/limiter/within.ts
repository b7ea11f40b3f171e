/**
 * As `work`, but rejects when it has not settled in time. What it comes to later is ignored.
 *
 * Before it rejects it lets the process read what has already arrived: a process that was itself busy for so long does
 * not take its own silence for that of another.
 */
export function within<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const expire = (): void => reject(new Error(`no answer within ${timeoutMs} ms`));
  // Timers come first in a turn of the event loop, then what has arrived, then immediates.
  const timer = setTimeout(() => setImmediate(expire), timeoutMs);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
