import type { MigrationWords } from '../words.ts';

/** Books that are being imported: until when somebody works on it; null for a whole book. No list shows the others. */
export function archives({ integer }: MigrationWords): string {
  return `ALTER TABLE books ADD COLUMN incomplete_until_ms ${integer};\n`;
}
