import type { MigrationWords } from '../words.ts';

/** Webhooks of books, their deliveries and the log of attempts. */
export function webhooks(_words: MigrationWords): string {
  return '';
}
