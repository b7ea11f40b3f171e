import type { MigrationWords } from '../words.ts';

/** Tables for connections to banks. */
export function sync(_words: MigrationWords): string {
  return '';
}
