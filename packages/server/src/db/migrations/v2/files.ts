import type { MigrationWords } from '../words.ts';

/** Tables for attached files. */
export function files(_words: MigrationWords): string {
  return '';
}
