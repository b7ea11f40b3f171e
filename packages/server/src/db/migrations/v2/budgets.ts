import type { MigrationWords } from '../words.ts';

/** Tables for budgets and their settings. */
export function budgets(_words: MigrationWords): string {
  return '';
}
