/*
 * Hits the memory limiter from as many sources as it is told, in windows that follow each other, and prints what
 * that cost as JSON: `node --expose-gc prove/many-sources.ts 1000000`. A process of its own, so that nothing else is
 * measured.
 */
import { createMemoryLimiter } from '../packages/server/src/limiter/memory.ts';
import { sourceKey } from '../packages/server/src/limiter/source-key.ts';

const windows = 4;
const limit = 100;
const windowMs = 60_000;
const sources = Number(process.argv[2]);
const neighbours = Math.ceil(sources / 10);

let nowMs = 0;
const clock = { monotonicMs: () => nowMs, wallMs: () => 1_700_000_000_000 + nowMs };
const limiter = createMemoryLimiter({ rateLimit: { limit, windowMs }, clock });

const ipv4Of = (n: number): string =>
  `${1 + (n >> 24)}.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
const ipv6Of = (n: number): string =>
  `2001:db8:0:7:${(n >> 16).toString(16)}::${(n & 0xffff).toString(16)}`;

function residentBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

/** Hits once from each source; how many of them were counted for themselves. */
function hitAll(window: number): number {
  let own = 0;
  for (let n = 0; n < sources; n += 1) {
    if (limiter.hit(sourceKey(ipv4Of(window * sources + n))).remaining === limit - 1) own += 1;
  }
  return own;
}

const beforeBytes = residentBytes();
const grownBytes: number[] = [];
let ownLeast = sources;
for (let window = 0; window < windows; window += 1) {
  nowMs = window * windowMs;
  ownLeast = Math.min(ownLeast, hitAll(window));
  grownBytes.push(residentBytes() - beforeBytes);
}

nowMs = windows * windowMs;
let neighboursAllowed = 0;
for (let n = 0; n < neighbours; n += 1) {
  if (limiter.hit(sourceKey(ipv6Of(n))).allowed) neighboursAllowed += 1;
}

console.log(JSON.stringify({ grownBytes, ownLeast, neighbours, neighboursAllowed }));
