import type { MigrationWords } from './words.ts';
import { imports } from './011/imports.ts';

/** The eleventh schema: what reports of strangers showed, each subject in a part of its own. */
export function strangers(words: MigrationWords): string {
  return [imports(words)].join('\n');
}
