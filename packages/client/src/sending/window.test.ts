import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readHttpDate, readRetryAfter, readWindow } from './headers.ts';
import { RequestWindow } from './window.ts';

/** The service's clock when the client's shows 0. */
const epochMs = 1_000_000_000_000;

interface Exchange {
  readonly remaining?: number;
  readonly limit?: number;
  /** By the client's clock. */
  readonly resetMs?: number;
  readonly status?: number;
  readonly retryAfter?: string;
  readonly prefix?: '' | 'x-';
  /** How far the service's clock was set forward, or back if negative. */
  readonly setMs?: number;
  readonly dated?: boolean;
}

/** Sends a request at `sentAtMs`; the response arrives at once. */
function exchange(
  window: RequestWindow,
  sentAtMs: number,
  sent: Exchange,
  receivedAtMs = sentAtMs,
): void {
  const {
    remaining,
    limit = 10,
    resetMs,
    status = 200,
    retryAfter,
    prefix = '',
    setMs = 0,
    dated = true,
  } = sent;
  const headers = new Headers();
  if (dated) headers.set('date', new Date(epochMs + setMs + receivedAtMs).toUTCString());
  if (remaining !== undefined) {
    headers.set(`${prefix}ratelimit-limit`, String(limit));
    headers.set(`${prefix}ratelimit-remaining`, String(remaining));
  }
  if (resetMs !== undefined) {
    headers.set(`${prefix}ratelimit-reset`, String(Math.ceil((epochMs + setMs + resetMs) / 1000)));
  }
  if (retryAfter !== undefined) headers.set('retry-after', retryAfter);
  window.reserve(sentAtMs);
  window.release({ status, headers, sentAtMs, receivedAtMs });
}

const newWindow = (): RequestWindow => new RequestWindow(() => 0);

describe("the client's view of the window", () => {
  test('one request is sent first; the others wait for its response', () => {
    const window = newWindow();
    assert.equal(window.delayMs(0), 0);
    window.reserve(0);
    assert.equal(window.delayMs(0), Infinity);
  });

  test('without a response, twice as many requests may be sent', () => {
    const window = newWindow();
    window.reserve(0);
    window.release(null);
    window.reserve(0);
    assert.equal(window.delayMs(0), 0);
    window.reserve(0);
    assert.equal(window.delayMs(0), Infinity);
  });

  test('a service without rate limit headers is not paced', () => {
    const window = newWindow();
    exchange(window, 0, {});
    for (let sent = 0; sent < 1000; sent += 1) window.reserve(0);
    assert.equal(window.delayMs(0), 0);
  });

  for (const prefix of ['', 'x-'] as const) {
    test(`requests in flight count, with ${prefix}RateLimit headers`, () => {
      const window = newWindow();
      exchange(window, 0, { remaining: 9, resetMs: 60_000, prefix });
      for (let sent = 0; sent < 7; sent += 1) {
        assert.equal(window.delayMs(0), 0);
        window.reserve(0);
      }
      assert.ok(window.delayMs(0) > 0, 'the last fifth is spread');
      window.reserve(20_000);
      window.reserve(40_000);
      assert.equal(window.delayMs(50_000), 10_000);
    });
  }

  test('the last fifth is spread evenly over the remaining time', () => {
    const window = newWindow();
    exchange(window, 0, { remaining: 20, limit: 100, resetMs: 42_000 });
    assert.equal(window.delayMs(0), 2_000);
    exchange(window, 2_000, { remaining: 19, limit: 100, resetMs: 42_000 });
    assert.equal(window.delayMs(2_000), 2_000);
  });

  test('once the window is used up, nothing is sent until the reset, and then one request first', () => {
    const window = newWindow();
    exchange(window, 0, { remaining: 0, resetMs: 30_000 });
    assert.equal(window.delayMs(100), 29_900);
    assert.equal(window.delayMs(30_000), 0);
    window.reserve(30_000);
    assert.equal(window.delayMs(30_000), Infinity);
  });

  test('a request without a response counts, because the service may have counted it', () => {
    const window = newWindow();
    exchange(window, 0, { remaining: 3, resetMs: 60_000 });
    assert.equal(window.delayMs(0), 0);
    window.reserve(0);
    window.release(null);
    assert.ok(window.delayMs(0) > 0, 'the last fifth is spread');
  });

  test('a wait for the reset or for Retry-After is up to 250 ms longer, at random', () => {
    for (const [random, laterMs] of [
      [0, 0],
      [0.5, 125],
      [1, 250],
    ] as const) {
      const waiting = new RequestWindow(() => random);
      exchange(waiting, 0, { remaining: 0, resetMs: 30_000 });
      assert.equal(waiting.delayMs(0), 30_000 + laterMs);
      const refused = new RequestWindow(() => random);
      exchange(refused, 0, { status: 429, retryAfter: '30' });
      assert.equal(refused.delayMs(0), 30_000 + laterMs);
    }
  });

  test('an overtaken response does not restore spent requests', () => {
    const window = newWindow();
    exchange(window, 0, { remaining: 9, resetMs: 60_000 });
    exchange(window, 10, { remaining: 1, resetMs: 60_000 }, 20);
    exchange(window, 5, { remaining: 8, resetMs: 60_000 }, 30);
    assert.ok(window.delayMs(30) > 0);
  });

  test('after the service has set its clock back or forward, the next reset counts', () => {
    for (const [setMs, sentMs, firstMs, secondMs] of [
      [-3_600_000, 1_000, 0, 1_000],
      [3_600_000, 1_000, 0, 1_000],
      // Sent before the last response.
      [-3_600_000, 100, 500, 600],
    ] as const) {
      const window = newWindow();
      exchange(window, 0, { remaining: 5, resetMs: 60_000 }, firstMs);
      exchange(window, sentMs, { remaining: 0, resetMs: 60_000, setMs }, secondMs);
      const delayMs = window.delayMs(secondMs);
      assert.ok(Math.abs(delayMs - (60_000 - secondMs)) <= 2_000 * (firstMs / 500), `${delayMs}`);
    }
  });

  test('without Date the reset is ignored: one request tries, and Retry-After decides', () => {
    const window = newWindow();
    exchange(window, 0, { remaining: 0, resetMs: 30_000, dated: false });
    assert.equal(window.delayMs(0), 0);
    const refused = { status: 429, remaining: 0, resetMs: 30_000, dated: false };
    exchange(window, 0, { ...refused, retryAfter: '30' });
    assert.equal(window.delayMs(0), 30_000);
    // From then on the service's clock is known.
    exchange(window, 30_000, { remaining: 0, resetMs: 90_000, dated: false });
    const delayMs = window.delayMs(30_000);
    assert.ok(delayMs >= 60_000 && delayMs <= 62_000, `${delayMs}`);
  });

  test('a reset that is days away is ignored', () => {
    const window = newWindow();
    exchange(window, 0, { remaining: 0, resetMs: 9 * 86_400_000 });
    assert.equal(window.delayMs(0), 0);
  });

  test('other clients on the window make the spread thinner, and the last requests are left to them', () => {
    const window = newWindow();
    exchange(window, 0, { remaining: 80, limit: 100, resetMs: 60_000 });
    // Twenty requests of this client, sixty of all.
    for (let own = 1; own <= 20; own += 1) {
      exchange(window, own, { remaining: 80 - own * 3, limit: 100, resetMs: 60_000 });
    }
    assert.ok(Math.abs(window.delayMs(20) - (3 * 59_980) / 21) < 1, `${window.delayMs(20)}`);
    exchange(window, 10_000, { remaining: 2, limit: 100, resetMs: 60_000 });
    assert.equal(window.delayMs(10_000), 50_000);
  });

  test('a window that others used up does not keep a small limit from being used', () => {
    const window = newWindow();
    exchange(window, 0, { remaining: 3, limit: 4, resetMs: 1_000 });
    exchange(window, 1, { remaining: 0, limit: 4, resetMs: 1_000 });
    exchange(window, 1_000, { remaining: 2, limit: 4, resetMs: 2_000 });
    assert.equal(window.delayMs(1_000), 0);
  });
});

describe('headers', () => {
  test('a window is read from integers only', () => {
    const read = (text: string): unknown =>
      readWindow(new Headers({ 'ratelimit-remaining': text }));
    assert.deepEqual(read('7'), { limit: 7, remaining: 7, resetSeconds: null });
    for (const text of ['', '-1', '1.5', '1e3', '0x1', '7, 7', 'many', '9'.repeat(16)]) {
      assert.equal(read(text), null, text);
    }
  });

  test('Retry-After is seconds or a date; anything else, or no wait, is null', () => {
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
    const read = (text: string): number | null =>
      readRetryAfter(new Headers({ 'retry-after': text, date }));
    assert.equal(read('17'), 17_000);
    assert.equal(read('Sun, 06 Nov 1994 08:49:40 GMT'), 3_000);
    for (const text of ['0', '-1', '1.5', 'soon', date, 'Sun, 06 Nov 1994 08:49:30 GMT']) {
      assert.equal(read(text), null, text);
    }
    assert.equal(readRetryAfter(new Headers({ 'retry-after': date })), null);
  });

  test('valid dates are read in the three forms of RFC 9110', () => {
    const ms = Date.UTC(1994, 10, 6, 8, 49, 37);
    for (const text of [
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
    ]) {
      assert.equal(readHttpDate(text), ms, text);
    }
    assert.equal(readHttpDate('Tue, 29 Feb 2028 23:59:60 GMT'), Date.UTC(2028, 2, 1));
    for (const text of [
      null,
      '',
      '1994-11-06T08:49:37Z',
      'Sun, 31 Feb 1994 08:49:37 GMT',
      'Sun, 06 Nox 1994 08:49:37 GMT',
      'Sun, 06 Nov 1994 24:00:00 GMT',
      'Sun, 06 Nov 1994 08:60:00 GMT',
      'Sun, 06 Nov 1994 08:49:37 CET',
    ]) {
      assert.equal(readHttpDate(text), null, String(text));
    }
  });
});
