import { shownConflicts } from '@coffer/server/src/history/undo/conflicts.ts';
import { getVersion } from '@coffer/server/src/history/actions.ts';
import {
  checkUndo,
  lastOwnChange,
  undoChange,
  undoLastChange,
} from '@coffer/server/src/history/undo/actions.ts';
import type { UndoneChange } from '@coffer/server/src/history/undo/actions.ts';
import type { Engine } from '@coffer/server/src/db/engine.ts';
import type { Command } from 'commander';
import { readNumber } from '../options.ts';
import { addBookOptions, withBook, type BookOptions } from '../book.ts';
import { conflictLines, explainConflicts, skipAdvice, addConflictsOption } from '../conflicts.ts';
import { writeLine, writeResult } from '../../terminal/context.ts';
import type { CommandContext, JsonOption } from '../../terminal/context.ts';
import { Failure, Misuse } from '../../terminal/failure.ts';
import { confirmChange, type ConfirmOptions } from '../../terminal/prompts.ts';
import type { ConflictsOption } from '../conflicts.ts';

interface Options extends BookOptions, JsonOption, ConfirmOptions, ConflictsOption {
  readonly last?: true;
  readonly dryRun?: true;
}

const actor = 'command';

/** `coffer undo`. */
export function define(undo: Command, context: CommandContext): void {
  undo
    .description('Undo a change of any kind, as a new change. An undo can be undone, too.')
    .argument('[version]', 'version of the book that the change made')
    .option('--last', 'undo the last change that a command made and that is not undone');
  addConflictsOption(undo)
    .option('--dry-run', 'change nothing; only print what would be undone')
    .option('--yes', 'undo without asking')
    .option('--json', 'print the result as a line of JSON');
  addBookOptions(undo).action((version: string | undefined, options: Options) =>
    run(readVersion(version, options), options, context),
  );
}

/** Returns the version; null for the last change. */
function readVersion(text: string | undefined, { last }: Options): number | null {
  if ((text === undefined) === (last === undefined))
    throw new Misuse('Name the version of a change, or add --last');
  return text === undefined ? null : readNumber('A version', text);
}

function run(wanted: number | null, options: Options, context: CommandContext): Promise<void> {
  return withBook(options, context, async (database, { id }) => {
    const version = wanted ?? (await findLast(database, id));
    await database.read(() => checkUndo(id, version));
    const what = await describe(database, id, version);
    const isRehearsal = options.dryRun === true;
    if (!isRehearsal) await confirmChange(`Undo ${what}?`, options, context);
    const undone = await undo(database, id, version, options);
    for (const line of conflictLines(undone.conflicts)) writeLine(context.stderr, line);
    const conflicts = shownConflicts(undone.conflicts);
    const left = conflicts.length > 0 ? ', except for the records above' : '';
    const name = undone.undoes === version ? what : await describe(database, id, undone.undoes);
    const text = `${isRehearsal ? 'Would undo' : 'Undone:'} ${name}${left}`;
    if (options.json !== true) writeLine(context.stderr, text);
    else writeResult(context, options, { ...undone, conflicts }, text);
  });
}

async function findLast(database: Engine, bookId: number): Promise<number> {
  const last = await database.read(() => lastOwnChange(bookId, actor));
  if (last === null) throw new Failure('There is no change of a command that could be undone');
  return last;
}

async function undo(
  database: Engine,
  bookId: number,
  version: number,
  { conflicts: mode, dryRun, last }: Options,
): Promise<UndoneChange> {
  const cause = { bookId, actor, operation: 'undo' };
  const how = { mode, isRehearsal: dryRun === true };
  try {
    // The last change may have no effect left; then the one before it is undone.
    if (last === true) return await undoLastChange(database, cause, how);
    return await undoChange(database, cause, version, how);
  } catch (error) {
    throw explainConflicts(error, skipAdvice);
  }
}

/** Returns a change as in `version 12, createTag by laptop at 2026-01-01T… (tags made: 1)`. */
async function describe(database: Engine, bookId: number, version: number): Promise<string> {
  const page = { limit: 1, offset: 0 };
  const {
    at,
    actor: by,
    operation,
    counts,
  } = await database.read(() => getVersion(bookId, version, page));
  const parts = counts.map(
    (each) =>
      `${each.record.replaceAll('_', ' ')} ${each.kind}: ${each.count.toLocaleString('en')}`,
  );
  return `version ${version}, ${operation} by ${by.name ?? by.kind} at ${at} (${parts.join(', ')})`;
}
