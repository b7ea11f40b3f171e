import {
  redoImport,
  undoImport,
  importToWire,
  listImports,
  importOf,
} from '@coffer/server/src/imports/operations/records.ts';
import type { UndoneImport } from '@coffer/server/src/imports/operations/records.ts';
import type { Command } from 'commander';
import { addBookOptions, withBook, performOnBook, type BookOptions, type OnBook } from '../book.ts';
import { writeLine, writeResult } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import { Misuse } from '../../terminal/failure.ts';
import { addListOption, subcommand, readNumber, perform } from '../options.ts';
import { count, quote } from '../../terminal/format.ts';
import { writeList } from '../../terminal/table.ts';
import { conflictLines, explainConflicts, skipAdvice, addConflictsOption } from '../conflicts.ts';
import type { ConflictsOption } from '../conflicts.ts';

type ListOptions = BookOptions & JsonOption & { readonly limit?: string };

const defaultLimit = 50;

/** `coffer imports list`, `show`, `undo` and `redo`. */
export function define(imports: Command, context: CommandContext): void {
  const list = subcommand(imports, 'list', 'list the imports of a book', 'The newest comes first.');
  list.option('--limit <number>', `how many imports; ${defaultLimit} by default`);
  perform(addBookOptions(addListOption(list)), context, printImports);
  const of = (name: string, summary: string, more?: string): Command =>
    subcommand(imports, name, summary, more).argument('<id>', 'id of the import', (text) =>
      readNumber('The id of an import', text),
    );
  performOnBook(addListOption(of('show', 'show an import')), context, printImport);
  const removed = 'Removes what it created. Its file can be imported again.';
  const undo = addConflictsOption(of('undo', 'undo an import', removed));
  performOnBook(undo, context, undoOne);
  performOnBook(of('redo', 'undo the undo of an import'), context, redoOne);
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new Misuse(`--limit: ${quote(text)} is not a number of imports`);
}

const shown = ['id', 'created_at', 'file_name', 'format', 'status', 'imported', 'known'];

async function printImports(options: ListOptions, context: CommandContext): Promise<void> {
  const limit = readLimit(options.limit);
  const rows = await withBook(options, context, (database, { id }) =>
    database.readStatement(() => listImports(id, { limit, offset: 0 })),
  );
  writeList(rows.map(importToWire), 'There are no imports', options, context, shown);
}

async function printImport(on: OnBook<JsonOption>, id: number): Promise<void> {
  const { database, book, options, context } = on;
  const row = await database.readStatement(() => importOf(book.id, id));
  const record = importToWire(row);
  // Only a server has previews, and work in the background.
  const lines = Object.entries({ ...record, preview: null, work: null })
    .filter(([name]) => name !== 'preview' && name !== 'work')
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value ?? '-'}`);
  writeResult(context, options, record, lines.join('\n'));
}

async function undoOne(on: OnBook<ConflictsOption>, id: number): Promise<void> {
  const { database, book, options, context } = on;
  const cause = { bookId: book.id, actor: 'command', operation: 'imports undo' };
  const { row, conflicts } = await undoImport(database, cause, id, options.conflicts).catch(
    (error: unknown) => {
      throw explainConflicts(error, skipAdvice);
    },
  );
  for (const line of conflictLines(conflicts)) writeLine(context.stderr, line);
  writeLine(context.stderr, undoneText(row, conflicts.length));
}

function undoneText({ id, imported, file_name }: UndoneImport['row'], kept: number): string {
  const what = `the import ${id}${file_name === null ? '' : ` of ${quote(file_name)}`}`;
  if (kept === 0) return `Undone: ${what}, ${count(imported, 'transaction')}`;
  return `Undone: ${what}, except for the records above`;
}

async function redoOne({ database, book, context }: OnBook, id: number): Promise<void> {
  const cause = { bookId: book.id, actor: 'command', operation: 'imports redo' };
  const advice = 'Restore the records that are named, or import the file again';
  const { row } = await redoImport(database, cause, id).catch((error: unknown) => {
    throw explainConflicts(error, advice);
  });
  writeLine(context.stderr, `Restored: the import ${id}, ${count(row.imported, 'transaction')}`);
}
