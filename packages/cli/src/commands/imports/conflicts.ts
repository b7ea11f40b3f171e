import { printable } from '@coffer/core/text';
import { conflictText } from '@coffer/server';
import type { UndoneImport } from '@coffer/server';

const mostShown = 100;

/** Returns a line for each record that was kept, and the number of further ones. */
export function conflictLines(conflicts: UndoneImport['conflicts']): string[] {
  const lines = conflicts
    .slice(0, mostShown)
    .map((each) => `Kept ${printable(conflictText(each))}`);
  const more = conflicts.length - lines.length;
  return more > 0 ? [...lines, `and ${more.toLocaleString('en')} more`] : lines;
}
