import type { MigrationWords } from '../words.ts';

/** Tables for idempotent writes. */
export function idempotency(_words: MigrationWords): string {
  return '';
}
