import { useState } from 'react';
import type { ReactElement } from 'react';
import { conflictsOf } from '../../api/conflicts.ts';
import { ApiError, describeError } from '../../api/errors.ts';
import type { UndoConflict } from '../../api/types.ts';
import { showToast } from '../../parts/overlays/toasts.ts';
import { historyTexts as t } from '../../texts/en/history.ts';
import { undoTexts } from '../../texts/en/undo.ts';
import { UndoConflicts } from '../flow/undo-conflicts.tsx';
import { useUndo } from './data.ts';
import type { Order, Undone } from './data.ts';

/** Undoes changes, with the messages about it and the decision about conflicts. */
export interface ChangeUndoing {
  /** Undoes a change; `what` names it in messages. */
  readonly undo: (version: Order['version'], what: string) => void;
  readonly isPending: boolean;
  /** The conflicts, while a person decides about them. */
  readonly dialog: ReactElement | null;
}

interface Refused {
  readonly version: Order['version'];
  readonly what: string;
  readonly conflicts: readonly UndoConflict[];
}

/** Returns what undoes changes. A message offers to redo. */
export function useChangeUndo(): ChangeUndoing {
  const undoing = useUndo();
  const [refused, setRefused] = useState<Refused | null>(null);
  const start = (order: Order, what: string): void =>
    // Not by the callbacks of `mutate`, which are lost when the screen is left before the response.
    void undoing.mutateAsync(order).then(
      (done) => report(done, what, (version) => start({ version }, t.redo)),
      (error: unknown) => {
        const conflicts = conflictsOf(error);
        if (conflicts.length === 0) showToast({ text: reasonOf(error), look: 'problem' });
        else if (order.conflicts === 'skip')
          showToast({ text: undoTexts.nothingLeft, look: 'problem' });
        else setRefused({ version: order.version, what, conflicts });
      },
    );
  return {
    isPending: undoing.isPending,
    undo: (version, what) => start({ version }, what),
    dialog:
      refused === null ? null : (
        <UndoConflicts
          conflicts={refused.conflicts}
          onClose={() => setRefused(null)}
          onSkip={() => {
            setRefused(null);
            start({ version: refused.version, conflicts: 'skip' }, refused.what);
          }}
        />
      ),
  };
}

function report(
  { version, conflicts }: Undone,
  what: string,
  redo: (version: number) => void,
): void {
  if (version === null) showToast({ text: t.undoUnderWay });
  else
    showToast({
      text:
        conflicts.length === 0
          ? t.wasUndone(what)
          : `${t.wasUndone(what)}. ${undoTexts.kept(conflicts.length)}`,
      action: { label: undoTexts.redo, run: () => redo(version) },
    });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) return describeError(error);
  if (error.status === 410) return undoTexts.pruned;
  if (error.status === 404) return t.nothingToUndo;
  const by = error.problems.map((problem) => (problem as { undone_by?: unknown }).undone_by);
  const [version] = by.filter((each) => typeof each === 'number');
  return version === undefined ? describeError(error) : undoTexts.undoneAlready(version);
}
