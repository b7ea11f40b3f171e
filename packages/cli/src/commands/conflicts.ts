import { printable } from '@coffer/core/text';
import { conflictText } from '@coffer/server/src/history/undo/conflicts.ts';
import type { UndoneChange, UndoMode } from '@coffer/server/src/history/undo/actions.ts';
import type { Command } from 'commander';
import { Failure } from '../terminal/failure.ts';

/** The option of an undo. */
export interface ConflictsOption {
  readonly conflicts: UndoMode;
}

/** Adds `--conflicts`. */
export function addConflictsOption(command: Command): Command {
  return command.addOption(
    command
      .createOption('--conflicts <mode>', 'what to do with records that were changed since')
      .choices(['refuse', 'skip'])
      .default('refuse'),
  );
}

const mostShown = 100;

/** Returns a line for each record that was kept, and the number of further ones. */
export function conflictLines(conflicts: UndoneChange['conflicts']): string[] {
  return firstOf(conflicts.map((each) => `Kept ${conflictText(each)}`));
}

/** What to do if an undo was refused because of conflicts. */
export const skipAdvice = 'To keep these records and undo the rest, add "--conflicts skip"';

/** Returns the error for the user, with what to do, if an undo was refused because of conflicts. */
export function explainConflicts(error: unknown, advice: string): unknown {
  const { kind, details = [] } = error as { kind?: string; details?: { errMsg: string }[] };
  if (kind !== 'undoConflict') return error;
  const lines = firstOf(details.map(({ errMsg }) => errMsg));
  return new Failure([...lines, `Nothing was undone. ${advice}`].join('\n'));
}

function firstOf(all: readonly string[]): string[] {
  const lines = all.slice(0, mostShown).map(printable);
  const more = all.length - lines.length;
  return more > 0 ? [...lines, `and ${more.toLocaleString('en')} more`] : lines;
}
