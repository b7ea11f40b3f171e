import type { MigrationWords } from '../words.ts';

/** Tables for the history of balances. */
export function history(_words: MigrationWords): string {
  return '';
}
