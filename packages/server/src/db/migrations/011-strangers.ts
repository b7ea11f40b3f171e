import { archives } from './011/archives.ts';
import type { MigrationWords } from './words.ts';

/** The eleventh schema: what each part says. */
export function strangers(words: MigrationWords): string {
  return [archives].map((part) => part(words)).join('');
}
