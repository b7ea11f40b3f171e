/*
 * Hits the memory limiter from many clients and prints the memory as JSON, during the hits and two windows later:
 * `node --expose-gc prove/limiter/many-sources.ts 1000000`. This is a separate process, which measures nothing else.
 */
import { createMemoryLimiter } from '../../packages/server/src/limiter/memory.ts';
import { clientKey } from '../../packages/server/src/limiter/address.ts';

const windows = 4;
const limit = 100;
const windowMs = 60_000;
/** Ordinary traffic: 480 requests in a window, from five clients that each keep to the limit. */
const ordinarySources = 5;
const ordinaryPauseMs = 125;
const sources = Number(process.argv[2]);
const neighbours = Math.ceil(sources / 10);

let nowMs = 0;
const clock = { monotonicMs: () => nowMs, wallMs: () => 1_700_000_000_000 + nowMs };
const limiter = createMemoryLimiter({ rateLimit: { limit, windowMs }, clock });

const ipv4Of = (n: number): string =>
  `${1 + (n >> 24)}.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
const ipv6Of = (n: number): string =>
  `2001:db8:0:7:${(n >> 16).toString(16)}::${(n & 0xffff).toString(16)}`;

/** The memory of the process, and what its objects take of it. */
function measure(): { resident: number; used: number } {
  // The first one leaves arrays of numbers, whose memory is freed in another thread.
  for (let n = 0; n < 2; n += 1) globalThis.gc?.();
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  return { resident: rss, used: heapUsed + arrayBuffers };
}

let [refused, ordinary, ordinaryDueMs] = [0, 0, 0];

/** Sends the ordinary requests that are due by now. */
function sendOrdinary(): void {
  for (; ordinaryDueMs <= nowMs; ordinaryDueMs += ordinaryPauseMs, ordinary += 1)
    if (!limiter.hit(`ordinary ${ordinary % ordinarySources}`).allowed) refused += 1;
}

function passTime(lengthMs: number): void {
  for (const endMs = nowMs + lengthMs; nowMs < endMs; nowMs += ordinaryPauseMs) sendOrdinary();
}

let [grownBytes, usedBytes, ownMost, refusedNew] = [0, 0, 0, 0];

/** Hits once from each client, evenly in `lengthMs`, with ordinary traffic all the while. */
function flood(number: number, lengthMs: number): void {
  const startMs = nowMs;
  for (let n = 0; n < sources; n += 1) {
    nowMs = startMs + (n * lengthMs) / sources;
    sendOrdinary();
    if (!limiter.hit(clientKey(ipv4Of(number * sources + n))).allowed) refusedNew += 1;
  }
  nowMs = startMs + lengthMs;
  ownMost = Math.max(ownMost, limiter.clientCount());
  const { resident, used } = measure();
  grownBytes = Math.max(grownBytes, resident - before.resident);
  usedBytes = Math.max(usedBytes, used - before.used);
}

// Warm up, so that the growth of heap and compiled code is not counted for the limiter.
for (let n = 0; n < sources; n += 1) limiter.hit(clientKey(ipv4Of(n % 256)));
passTime(2 * windowMs);
const before = measure();
for (let number = 0; number < windows; number += 1) flood(number, windowMs);
// Then all at once, which keeps windows longest.
passTime(2 * windowMs);
flood(windows, 0);
passTime(2 * windowMs + ordinaryPauseMs);
const leftBytes = measure().used - before.used;

let neighboursAllowed = 0;
for (let n = 0; n < neighbours; n += 1) {
  if (limiter.hit(clientKey(ipv6Of(n))).allowed) neighboursAllowed += 1;
}

const measured = {
  /** The most by which the process grew in a flood, and what the counts took of it. */
  grownBytes,
  usedBytes,
  /** What the counts took after two windows of ordinary traffic. */
  leftBytes,
  /** The number of clients with their own count, in the largest flood. */
  ownMost,
  /** The requests of clients that were there before and keep to the limit, and how many were refused. */
  ordinary,
  refused,
  /** How many clients of the floods were refused their only request. */
  refusedNew,
  neighbours,
  neighboursAllowed,
};
export type Measured = typeof measured;
console.log(JSON.stringify(measured));
