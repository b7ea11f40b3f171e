import type { MigrationWords } from '../words.ts';

/** Tables for rules for new transactions. */
export function rules(_words: MigrationWords): string {
  return '';
}
