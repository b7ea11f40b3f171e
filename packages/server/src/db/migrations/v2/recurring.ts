import type { MigrationWords } from '../words.ts';

/** Tables for recurring items. */
export function recurring(_words: MigrationWords): string {
  return '';
}
