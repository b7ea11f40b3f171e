import { hash } from 'node:crypto';
import type { Entry } from '../statement.ts';

/**
 * What tells an entry apart within a file: a hash of its account and the bank's id, or of account and content where it
 * has no id. An integer of 53 bits; `account` tells the file's accounts apart.
 */
export function identityOf(account: string, entry: Entry): number {
  return quickHash(`${account} ${entry.externalId ?? contentOf(entry)}`);
}

/** A hash of date, amount and texts, which may become a part of an id: 15 characters. */
export function contentHash(entry: Entry): string {
  return hash('sha256', contentOf(entry), 'hex').slice(0, 15);
}

function contentOf({ date, amount, payee, notes }: Entry): string {
  return JSON.stringify([date, amount, payee, notes]);
}

/**
 * Two multiplicative hashes side by side, 53 bits of them. Made for speed: texts that were chosen to have one
 * hash only make the file's own ids longer than they need be.
 */
function quickHash(text: string): number {
  let high = 0x2545f491;
  let low = 0x5bd1e995;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x2c1b3c6d);
    high ^= high >>> 13;
    low = Math.imul(low ^ code, 0x297a2d39);
    low ^= low >>> 15;
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
