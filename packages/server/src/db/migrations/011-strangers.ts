import { backupResults } from './011/backup-results.ts';
import { storedFiles } from './011/stored-files.ts';
import type { MigrationWords } from './words.ts';

/** The eleventh schema: what strangers' reports and files made necessary. Each part has its own file. */
export function strangers(words: MigrationWords): string {
  return [storedFiles, backupResults].map((part) => part(words)).join('');
}
