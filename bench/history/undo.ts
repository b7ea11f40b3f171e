import sql from 'sql-template-tag';
import { changing, type Cause } from '../../packages/server/src/book/change.ts';
import { row, type Engine } from '../../packages/server/src/db/engine.ts';
import { find, select } from '../../packages/server/src/db/rows.ts';
import { books, manualAccounts, transactions } from '../../packages/server/src/db/tables/tables.ts';
import { undoChange } from '../../packages/server/src/history/undo/actions.ts';
import { removeAccount } from '../../packages/server/src/ledger/remove.ts';
import { updateTransactions } from '../../packages/server/src/ledger/transactions/writes.ts';
import { onBothEngines, settle } from '../measure/engines.ts';
import { cpuMs } from '../measure/processor-time.ts';
import { importRows, openBook } from '../measure/workspace.ts';
import type { Figure } from '../report/figure.ts';

const rows = 100_000;

/**
 * Measures the undo of large changes, and the undo of these undos, against the import of the same rows in the same run:
 * processor time a row, with that of PostgreSQL's processes. The changes are the import, the removal of an account with
 * its transactions, whose ids are scattered, and new amounts and notes for all transactions.
 */
export function measureUndo(folder: string): Promise<Figure[]> {
  return onBothEngines(folder, async (url, engineName, serverPid) => {
    const { engine, book } = await openBook(url);
    const cause = { bookId: book.id, actor: 'command', operation: 'bench' };
    const ofRow = async (count: number, work: () => Promise<unknown>): Promise<number> => {
      await settle(url);
      return (await cpuMs(work, serverPid)) / count;
    };
    const importMs = await ofRow(rows, () => importRows(engine, book, rows));
    const figures: Figure[] = [];
    const addUndos = async (name: string, count: number): Promise<void> => {
      for (const undo of ['undo', 'undo of the undo']) {
        const version = await versionOf(engine, book.id);
        const ms = await ofRow(count, () => undoChange(engine, cause, version, { mode: 'refuse' }));
        const value = ms / importMs;
        const what = `${undo} of ${name} against an import, a row`;
        figures.push({ name: `${engineName}: ${what}`, value, unit: 'times', atMost: 2 });
      }
    };
    await addUndos('an import', rows);
    await changeAll(engine, cause);
    await addUndos('changed amounts and notes', rows);
    await addUndos('the removal of an account', await removeOne(engine, cause));
    await engine.close();
    return figures;
  });
}

async function versionOf(engine: Engine, id: number): Promise<number> {
  return (await engine.read(() => find(books, { id })))!.version;
}

async function changeAll(engine: Engine, cause: Cause): Promise<void> {
  const all = await engine.read(() => select(transactions, { book_id: cause.bookId }));
  const updates = all.map((before) => {
    const amount = before.amount + 10_000;
    return { before, columns: { amount, to_base: amount, notes: `Note ${before.id}` } };
  });
  await engine.write(() => changing(cause, (change) => updateTransactions(change, updates)));
}

/** Removes an account with its transactions, and returns how many they were. */
async function removeOne(engine: Engine, cause: Cause): Promise<number> {
  const [account] = await engine.read(() => select(manualAccounts, { book_id: cause.bookId }));
  const counted = await engine.read(() =>
    row<{ count: number }>(sql`SELECT COUNT(*) AS count FROM transactions
      WHERE book_id = ${cause.bookId} AND manual_account_id = ${account!.id}`),
  );
  await engine.write(() =>
    changing(cause, (change) => removeAccount(change, account!, { items: true })),
  );
  return counted!.count;
}
