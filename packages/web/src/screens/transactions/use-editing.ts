import { useQueryClient } from '@tanstack/react-query';
import { deleteTransactions, saveEdits, type RowEdit } from '../../api/edits.ts';
import { ApiError, describeError } from '../../api/errors.ts';
import { keys } from '../../api/keys.ts';
import { undoLast, undoVersion } from '../../api/undo.ts';
import type { ChangeUndo, Transaction, TransactionUpdate } from '../../books/types.ts';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { partTexts as parts } from '../../texts/en/parts.ts';
import { transactionTexts as t } from '../../texts/en/transactions.ts';
import { making } from '../flow/openers.ts';

/** Changes of transactions, each with a message that can take it back. */
export interface Editing {
  /** Saves the values that a function returns for each transaction. Returns whether all were saved. */
  readonly save: (
    rows: readonly Transaction[],
    valuesOf: (row: Transaction) => TransactionUpdate,
    /** Edits again what was refused. */
    again?: () => void,
  ) => Promise<boolean>;
  /** Deletes transactions; `left` others cannot be deleted alone, which the message says. */
  readonly remove: (ids: readonly number[], left?: number) => Promise<void>;
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
  const force = async (edits: readonly RowEdit[]): Promise<void> => {
    const { saved, refusal } = await saveEdits(cache, edits, true);
    if (refusal !== null) showToast({ look: 'problem', text: t.refused(describeError(refusal)) });
    else showToast({ text: t.saved(saved), ...undoable });
  };
  return {
    save: async (rows, valuesOf, run) => {
      const all = rows.map((row) => ({ row, values: valuesOf(row) }));
      // The bank may still change or take back what is pending.
      const edits = all.filter(
        ({ row, values }) => values.status !== 'reviewed' || !row.is_pending,
      );
      const left = all.length - edits.length;
      const { saved, refusal, proved } = await saveEdits(cache, edits);
      if (proved.length > 0) {
        const action = { label: parts.anyway, run: () => void force(proved) };
        showToast({ look: 'problem', text: parts.proved, action });
      } else if (refusal !== null)
        showToast({
          look: 'problem',
          text: t.refused(describeError(refusal)),
          ...(run !== undefined && { action: { label: t.editAgain, run } }),
        });
      const next = refusal === null ? offerAlways(edits) : null;
      if (saved > 0)
        showToast({ text: withRest(t.saved(saved), t.pendingLeft(left), left), ...undoable, next });
      else if (left > 0) showToast({ text: t.pendingLeft(left), look: 'problem' });
      return refusal === null && left === 0;
    },
    remove: (ids, left = 0) =>
      reported(async () => {
        if (ids.length > 0) await deleteTransactions(cache, ids);
        const text = withRest(t.deleted(ids.length), t.partsLeft(left), left);
        if (ids.length > 0) showToast({ text, ...undoable });
        else if (left > 0) showToast({ text: t.partsLeft(left), look: 'problem' });
      }),
    undo,
    undoVersion: again,
    attempt: (action, done) => reported(() => change(action, done)),
    change,
  };
}

/** A message with what was left out, if anything was. */
function withRest(text: string, rest: string, left: number): string {
  return left === 0 ? text : `${text} · ${rest}`;
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

/** So many transactions of one payee with one category are a habit. */
const habit = 3;
/** The transactions that were given a category on this page, by payee and category. */
const given = new Map<string, Set<number>>();

/**
 * Notes which transactions were given a category. Returns the offer to do it always, when these make the habit: at the
 * third transaction of a payee. It is made once for a payee and a category.
 */
function offerAlways(
  edits: readonly RowEdit[],
): { readonly label: string; readonly run: () => void } | null {
  for (const { row, values } of edits) {
    const { category_id: category = null, payee = row.payee } = values;
    if (payee === '' || category === null) continue;
    const key = JSON.stringify([payee, category]);
    const ids = given.get(key) ?? new Set<number>();
    const before = ids.size;
    given.set(key, ids.add(row.id));
    if (before < habit && ids.size === habit)
      return { label: t.always, run: () => making.open({ payee, category_id: category }) };
  }
  return null;
}
