import type { MigrationWords } from '../words.ts';

/** Tables for cryptocurrencies and manual crypto. */
export function crypto(_words: MigrationWords): string {
  return '';
}
