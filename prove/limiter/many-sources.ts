/*
 * Hits the memory limiter from many clients and prints the memory as JSON, during the hits and two windows later:
 * `node --expose-gc prove/limiter/many-sources.ts 1000000`. This is a separate process, which measures nothing else.
 */
import { createMemoryLimiter } from '../../packages/server/src/limiter/memory.ts';
import { clientKey } from '../../packages/server/src/limiter/address/client-key.ts';

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

function measure(): { resident: number; external: number } {
  globalThis.gc?.();
  const { rss, external } = process.memoryUsage();
  return { resident: rss, external };
}

/** Hits once from each client, evenly in `lengthMs`; returns how many had their own count. */
function hitAll(flood: number, lengthMs: number): number {
  const startMs = nowMs;
  let own = 0;
  for (let n = 0; n < sources; n += 1) {
    nowMs = startMs + (n * lengthMs) / sources;
    if (limiter.hit(clientKey(ipv4Of(flood * sources + n))).remaining === limit - 1) own += 1;
  }
  nowMs = startMs + lengthMs;
  return own;
}

function ordinaryTraffic(lengthMs: number): number {
  const endMs = nowMs + lengthMs;
  let refused = 0;
  for (let n = 0; nowMs < endMs; nowMs += ordinaryPauseMs, n += 1) {
    if (!limiter.hit(`ordinary ${n % ordinarySources}`).allowed) refused += 1;
  }
  return refused;
}

// Warm up, so that the growth of heap and compiled code is not counted for the limiter.
for (let n = 0; n < sources; n += 1) limiter.hit(clientKey(ipv4Of(n % 256)));
let refused = ordinaryTraffic(2 * windowMs);
const before = measure();
const grownBytes: number[] = [];
const grow = (own: number): number => {
  grownBytes.push(measure().resident - before.resident);
  return own;
};
let ownLeast = sources;
for (let flood = 0; flood < windows; flood += 1) {
  ownLeast = Math.min(ownLeast, grow(hitAll(flood, windowMs)));
}
// Then the case that keeps memory longest: all at once, at the start of a generation.
refused += ordinaryTraffic(windowMs);
ownLeast = Math.min(ownLeast, grow(hitAll(windows, 0)));
refused += ordinaryTraffic(2 * windowMs);
const after = measure();

let neighboursAllowed = 0;
for (let n = 0; n < neighbours; n += 1) {
  if (limiter.hit(clientKey(ipv6Of(n))).allowed) neighboursAllowed += 1;
}

console.log(
  JSON.stringify({
    grownBytes,
    leftBytes: after.resident - before.resident,
    leftExternalBytes: after.external - before.external,
    ownLeast,
    refused,
    neighbours,
    neighboursAllowed,
  }),
);
