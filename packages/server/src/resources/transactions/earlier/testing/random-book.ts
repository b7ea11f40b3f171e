import fc from 'fast-check';
import type { Change } from '../../../../changes/change.ts';
import { changeArbitrary } from '../../../../changes/testing/random-changes.ts';
import type { Write } from '../../../../changes/testing/random-changes.ts';
import type { UndoneBook } from '../../../../changes/testing/undone-book.ts';
import { UndoConflictError } from '../../../../changes/undo.ts';
import type { Engine, Steps } from '../../../../db/engine.ts';
import { select } from '../../../../db/rows.ts';
import { categories, imports, transactionFiles, transactions } from '../../../../db/tables.ts';
import { importEntries } from '../../../../imports/import.ts';
import { Problem } from '../../../../wire/problem.ts';
import { mergeCategory } from '../../../categories/merge.ts';
import { undoImport } from '../../../imports/actions.ts';
import { groupTransactions, ungroupTransactions } from '../../groups/group.ts';
import { deleteTransactions } from '../../requests/delete.ts';
import { splitTransaction, unsplitTransaction } from '../../splits/split.ts';
import type { TransactionRow } from '../../writes.ts';

/** One action on a book. Picks choose among its records. */
export type BookAction =
  | { readonly kind: 'writes'; readonly writes: readonly Write[] }
  | { readonly kind: 'undo' | 'undo rest' | 'import' | 'undo import'; readonly pick: number }
  | { readonly kind: (typeof transactionActions)[number]; readonly picks: readonly number[] };

const transactionActions = [
  ...(['group', 'ungroup', 'split', 'unsplit', 'delete', 'files', 'merge'] as const),
] as const;

/** Without those that remove transactions: they leave files to the database, unlike requests. */
const writesArbitrary = changeArbitrary.map((writes) =>
  writes.filter(({ kind, table }) => kind !== 'remove' || table !== 'transactions'),
);

/** Actions of every kind in their order. */
export const bookActionsArbitrary: fc.Arbitrary<readonly BookAction[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('writes' as const), writes: writesArbitrary }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom(...transactionActions),
        picks: fc.array(fc.nat(30), { minLength: 2, maxLength: 4 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          'undo' as const,
          'undo rest' as const,
          'import' as const,
          'undo import' as const,
        ),
        pick: fc.nat(30),
      }),
    },
  ),
  { minLength: 4, maxLength: 16, size: 'max' },
);

/** Performs an action. Nothing happens if the book refuses it or has nothing for it. */
export async function performAction(
  engine: Engine,
  book: UndoneBook,
  action: BookAction,
): Promise<void> {
  try {
    if (action.kind === 'writes') await book.perform(action.writes);
    else if ('picks' in action) await book.change((change) => onTransactions(change, action));
    else await ofVersions(engine, book, action.kind, action.pick);
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof UndoConflictError)) throw error;
  }
}

async function ofVersions(
  engine: Engine,
  book: UndoneBook,
  kind: 'undo' | 'undo rest' | 'import' | 'undo import',
  pick: number,
): Promise<void> {
  const cause = { bookId: book.id, actor: 'test', operation: 'test' };
  const version = await book.version();
  // The second version has the accounts that changes need.
  const picked = version < 3 ? 3 : version - (pick % (version - 2));
  if (picked > version && kind.startsWith('undo')) return;
  if (kind === 'undo') await book.undo(picked);
  else if (kind === 'undo rest') await book.undoRest(picked);
  else if (kind === 'import') await importSome(engine, book.id, pick);
  else {
    const done = await book.read(() => select(imports, { book_id: book.id, undone_version: null }));
    const row = done[pick % Math.max(1, done.length)];
    if (row !== undefined) await undoImport(engine, cause, row.id, 'skip');
  }
}

async function importSome(engine: Engine, bookId: number, pick: number): Promise<void> {
  const entries = Array.from({ length: 2 + (pick % 4) }, (_, at) => ({
    ...{ line: 1 + at, date: `2024-02-0${1 + (at % 3)}`, amount: 10_000 * (1 + at) },
    ...{ payee: `I${pick}`, externalId: pick % 2 === 0 ? `I${pick}-${at}` : null, tags: ['four'] },
    ...{ currency: null, notes: null, account: 'Cash', category: 'Imported' },
  }));
  await importEntries(engine, bookId, {
    ...{ entries: () => entries, defaultAccount: null, dryRun: false },
  });
}

function* onTransactions(
  change: Change,
  { kind, picks }: Extract<BookAction, { readonly picks: readonly number[] }>,
): Steps<void> {
  const book = { book_id: change.bookId };
  const all = yield* select(transactions, book);
  const isPlain = (row: TransactionRow): boolean =>
    !row.is_group_parent &&
    !row.is_split_parent &&
    (row.group_parent_id ?? row.split_parent_id) === null;
  const plain = all.filter(isPlain);
  const ids = [...new Set(picks.map((pick) => plain[pick % Math.max(1, plain.length)]?.id))];
  const picked = plain.filter(({ id }) => ids.includes(id));
  const of = (rows: readonly TransactionRow[]) => rows[picks[0]! % Math.max(1, rows.length)];
  if (kind === 'group' && picked.length > 1) {
    const members = picked.map(({ id }) => id);
    yield* groupTransactions(change, { ids: members, date: '2024-02-01', payee: 'Group' });
  } else if (kind === 'ungroup') {
    const group = of(all.filter((row) => row.is_group_parent));
    if (group !== undefined) yield* ungroupTransactions(change, group);
  } else if (kind === 'split' && picked.length > 0) {
    const [parent] = picked;
    yield* splitTransaction(change, parent!, [
      { amount: 10_000 },
      { amount: parent!.amount - 10_000 },
    ]);
  } else if (kind === 'unsplit') {
    const parent = of(all.filter((row) => row.is_split_parent));
    if (parent !== undefined) yield* unsplitTransaction(change, parent.id, parent);
  } else if (kind === 'delete')
    yield* deleteTransactions(
      change,
      picked.map(({ id }) => id),
    );
  else if (kind === 'files') yield* changeFiles(change, all, picks);
  else if (kind === 'merge') {
    const [one, other] = yield* select(categories, { ...book, is_group: false });
    if (other !== undefined) yield* mergeCategory(change, other, one!.id);
  }
}

function* changeFiles(
  change: Change,
  all: readonly TransactionRow[],
  [pick = 0, action = 0]: readonly number[],
): Steps<void> {
  const files = yield* select(transactionFiles, { book_id: change.bookId });
  const transaction = all[pick % Math.max(1, all.length)];
  const file = files[pick % Math.max(1, files.length)];
  if (action % 3 === 0 && file !== undefined) yield* change.remove(transactionFiles, file);
  else if (action % 3 === 1 && file !== undefined)
    yield* change.update(transactionFiles, file, { notes: `N${pick}` });
  else if (transaction !== undefined)
    yield* change.insert(transactionFiles, {
      ...{ transaction_id: transaction.id, uploaded_by: 1, name: `"${pick}".pdf` },
      ...{ type: 'application/pdf', size: pick },
    });
}
