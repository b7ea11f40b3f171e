import { archives } from './011/archives.ts';
import { backupResults } from './011/backup-results.ts';
import { imports } from './011/imports.ts';
import { storedFiles } from './011/stored-files.ts';
import type { MigrationWords } from './words.ts';

/** The eleventh schema: what reports and files of strangers showed, each subject in a part of its own. */
export function strangers(words: MigrationWords): string {
  return [imports, storedFiles, backupResults, archives].map((part) => part(words)).join('\n');
}
