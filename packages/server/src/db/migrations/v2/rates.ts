import type { MigrationWords } from '../words.ts';

/** Tables for exchange rates of currencies. */
export function rates(_words: MigrationWords): string {
  return '';
}
