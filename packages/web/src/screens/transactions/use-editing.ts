import { useQueryClient } from '@tanstack/react-query';
import { deleteTransactions, saveEdits } from '../../api/edits.ts';
import { ApiError, describeError } from '../../api/errors.ts';
import { keys } from '../../api/keys.ts';
import { undoLast, undoVersion } from '../../api/undo.ts';
import type { ChangeUndo, Transaction, TransactionUpdate } from '../../books/types.ts';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import { offerAlways } from '../rules/always.ts';

/** Changes of transactions, each with a message that can take it back. */
export interface Editing {
  /** Saves the values that a function returns for each transaction. Returns whether all were saved. */
  readonly save: (
    rows: readonly Transaction[],
    valuesOf: (row: Transaction) => TransactionUpdate,
    /** Edits again what was refused. */
    again?: () => void,
  ) => Promise<boolean>;
  readonly remove: (ids: readonly number[]) => Promise<void>;
  /** Takes back the last change. */
  readonly undo: () => Promise<void>;
  /** Takes back the change with this version of the book. */
  readonly undoVersion: (version: number) => Promise<void>;
  /** Does something that the server may refuse, and shows the refusal. */
  readonly attempt: (action: () => Promise<unknown>, done?: string) => Promise<void>;
  /** Does something that the server may refuse; rejects then. */
  readonly change: (action: () => Promise<unknown>, done?: string) => Promise<void>;
}

/** The changes that lists, the entry and the review have. */
export function useEditing(): Editing {
  const cache = useQueryClient();
  const report = (undone: ChangeUndo): void => {
    const { version, conflicts } = undone;
    const text = conflicts.length === 0 ? t.undone : t.conflicts(conflicts.length);
    const redo =
      version === null ? {} : { action: { label: t.redo, run: () => void again(version) } };
    showToast({ text, ...redo });
  };
  const again = (version: number): Promise<void> =>
    reported(async () => report(await undoVersion(cache, version)));
  const undo = (): Promise<void> => reported(async () => report(await undoLast(cache)));
  const undoable = { action: { label: t.undo, run: () => void undo() } };
  const change: Editing['change'] = async (action, done) => {
    await action();
    await cache.invalidateQueries({ queryKey: keys.transactions });
    if (done !== undefined) showToast({ text: done, ...undoable });
  };
  return {
    save: async (rows, valuesOf, run) => {
      const edits = rows.map((row) => ({ row, values: valuesOf(row) }));
      const { saved, refusal } = await saveEdits(cache, edits);
      if (refusal !== null)
        showToast({
          look: 'problem',
          text: t.refused(describeError(refusal)),
          ...(run !== undefined && { action: { label: t.editAgain, run } }),
        });
      const next = refusal === null ? offerAlways(edits) : null;
      if (saved > 0) showToast({ text: t.saved(saved), ...undoable, next });
      return refusal === null;
    },
    remove: (ids) =>
      reported(async () => {
        await deleteTransactions(cache, ids);
        showToast({ text: t.deleted(ids.length), ...undoable });
      }),
    undo,
    undoVersion: again,
    attempt: (action, done) => reported(() => change(action, done)),
    change,
  };
}

async function reported(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    const isNothing =
      error instanceof ApiError && error.status === 404 && error.problems.length < 2;
    const text = isNothing ? describeError(error) : t.refused(describeError(error));
    showToast({ look: 'problem', text });
  }
}
