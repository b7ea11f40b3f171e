import { printable } from '@coffer/core/text';
import { forgetImportSettings, keepImportSettings } from '@coffer/server/src/imports/settings.ts';
import type { ImportSettings } from '@coffer/server/src/imports/settings.ts';
import { isEmpty, settingsToKeep, usedSettings } from '@coffer/server/src/imports/memory.ts';
import { outlineTable } from '@coffer/statements/src/read-statement.ts';
import { writeLine, writeResult } from '../../terminal/context.ts';
import { count, quote } from '../../terminal/format.ts';
import type { Import, ReadFile } from './read-settled.ts';
import { describeSettings } from './settings.ts';
import { openStatementFile } from './statement-file.ts';

/** Remembers what was settled for the shape of a file that was imported. */
export async function remember(
  { shape, statement, remembered, settled }: ReadFile,
  ofAccounts: ImportSettings,
  { database, bookId }: Import,
): Promise<void> {
  const settings = settingsToKeep(statement, remembered, { ...settled, ...ofAccounts });
  if (shape === null || settings === null) return;
  const place = { shape, format: statement.format };
  await database.write(() => keepImportSettings(bookId, place, settings));
}

/** Returns what was remembered and neither a flag nor the user settled otherwise; null if there is nothing. */
export function usedMemory(
  { remembered, settled, statement }: ReadFile,
  ofAccounts: ImportSettings,
): ImportSettings | null {
  const used = usedSettings(statement, remembered, { ...settled, ...ofAccounts });
  return isEmpty(used) ? null : used;
}

/** Returns the line about remembered settings. */
export function memoryLine(file: string, used: ImportSettings): string {
  const forget = `coffer import --forget ${printable(file)}`;
  return `Remembered: ${describeSettings(used)}. To forget it: ${forget}`;
}

/** Forgets what is remembered for the shapes of files, or for all shapes if there are no files. */
export async function forget(files: readonly string[], job: Import): Promise<void> {
  let forgotten = 0;
  const shapes = files.length === 0 ? [null] : await shapesOf(files, job);
  for (const shape of shapes)
    forgotten += await job.database.write(() => forgetImportSettings(job.bookId, shape));
  const what = count(forgotten, 'kind of file', 'kinds of files');
  const text = forgotten === 0 ? 'Nothing was remembered' : `Forgotten: the settings of ${what}`;
  writeResult(job.context, job.options, { forgotten }, text);
}

async function shapesOf(files: readonly string[], { context, options }: Import): Promise<string[]> {
  const shapes = new Set<string>();
  for (const path of files) {
    const file = await openStatementFile(path, context);
    try {
      const { format } = options;
      const source = file.source(() => undefined);
      const outline = outlineTable(source, format === undefined ? {} : { format });
      if (outline === null) writeLine(context.stderr, `${quote(path)} has no columns`);
      else shapes.add(outline.shape);
    } finally {
      file.close();
    }
  }
  return [...shapes];
}
