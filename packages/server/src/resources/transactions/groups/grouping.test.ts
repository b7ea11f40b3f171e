import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import sql from 'sql-template-tag';
import type { Change } from '../../../changes/change.ts';
import { UndoneBook } from '../../../changes/testing/undone-book.ts';
import type { Engine, Steps } from '../../../db/engine.ts';
import { find, rowsAs, select } from '../../../db/rows.ts';
import { integer } from '../../../db/table.ts';
import {
  manualAccounts,
  recurringItems,
  transactionFiles,
  transactions,
} from '../../../db/tables.ts';
import { usualEngines } from '../../../db/testing/engines.ts';
import { checkDatabase } from '../../../maintenance/doctor.ts';
import { Problem } from '../../../wire/problem.ts';
import { BulkRows, insertTransactions, removeTransactions } from '../writes.ts';
import type { TransactionRow } from '../writes.ts';
import { groupTransactions, ungroupTransactions } from './group.ts';
import { splitTransaction, unsplitTransaction } from '../splits/split.ts';
import { actionsArbitrary, GroupingModel, isPlain, total } from '../testing/grouping-model.ts';
import type { Action, ModelRow } from '../testing/grouping-model.ts';
import { runs } from '../../../../../core/src/testing/length.ts';

for (const { name, skip, open } of usualEngines) {
  describe(`groups and splits on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    it('agree with a model after every action, and an undo of all restores the start', async () => {
      const done = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(actionsArbitrary, async (actions) => {
          const book = await UndoneBook.open(engine);
          const model = new GroupingModel();
          const [start, first] = [await book.state(), await book.version()];
          for (const action of actions) {
            const isDone = await perform(book, model, action);
            const outcome = `${action.kind} ${isDone ? 'done' : 'refused'}`;
            done.set(outcome, (done.get(outcome) ?? 0) + 1);
            await assertSame(book, model);
          }
          assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
          for (let version = await book.version(); version > first; version -= 1)
            await book.undo(version);
          assert.deepEqual(await book.state(), start);
        }),
        { numRuns: runs(name === 'SQLite' ? 60 : 15) },
      );
      // The few runs on the other engine may miss one of them.
      if (name !== 'SQLite') return;
      for (const kind of ['group', 'ungroup', 'split', 'unsplit'])
        for (const outcome of ['done', 'refused'])
          assert.ok(done.has(`${kind} ${outcome}`), `${kind} was never ${outcome}`);
    });

    it('restore files when the deletion of a group or of parts is undone', async () => {
      const book = await UndoneBook.open(engine);
      const model = new GroupingModel();
      await insert(book, model, { kind: 'insert', picks: [1, 2, 3], seed: 1 });
      const [a, b, c] = [...model.rows.values()];
      await group(book, model, [a!, b!]);
      await split(book, model, c!, 1);
      const [parent, part] = [...model.rows.values()].slice(3);
      await book.change(function* (change) {
        for (const { id } of [parent!, part!])
          yield* change.insert(transactionFiles, {
            ...{ transaction_id: id, uploaded_by: 1, name: 'a.pdf', type: 'application/pdf' },
            ...{ size: 1, created_at: change.at },
          });
      });
      for (const action of ['ungroup', 'unsplit'] as const) {
        const before = await book.state();
        const picks = [0];
        assert.ok(await perform(book, model, { kind: action, picks, seed: 1 }));
        assert.equal((await book.state()).get('transaction_files')!.size, 1);
        await book.undo(await book.version());
        assert.deepEqual(await book.state(), before);
      }
    });
  });
}

/** Performs an action on the book and the model. Returns false if the model says that it must be refused. */
async function perform(book: UndoneBook, model: GroupingModel, action: Action): Promise<boolean> {
  const { kind, picks, seed } = action;
  const rows = [...model.rows.values()];
  const prefer = (isWanted: (row: ModelRow) => boolean) => {
    const wanted = rows.filter(isWanted);
    // One in four is a row that must be refused.
    return model.picked(picks, wanted.length > 0 && seed % 4 > 0 ? wanted : rows);
  };
  switch (kind) {
    case 'insert':
      return await insert(book, model, action);
    case 'group':
      return await group(book, model, prefer(isPlain));
    case 'ungroup': {
      const [row] = prefer(({ isGroup }) => isGroup);
      if (row === undefined) return true;
      const work = withRow(row.id, (change, each) => ungroupTransactions(change, each));
      if (!row.isGroup) return refused(book, work);
      await book.change(work);
      model.ungroup(row.id);
      return true;
    }
    case 'split': {
      const [row] = prefer((each) => isPlain(each) && !each.isRecurring);
      return row === undefined || (await split(book, model, row, seed));
    }
    case 'unsplit': {
      const [row] = prefer(({ isSplit }) => isSplit);
      if (row === undefined) return true;
      const work = withRow(row.id, (change, each) => unsplitTransaction(change, row.id, each));
      if (!row.isSplit) return refused(book, work);
      await book.change(work);
      model.unsplit(row.id);
      return true;
    }
    case 'delete': {
      const row = rows.find(isPlain);
      if (row === undefined) return true;
      await book.change(withRow(row.id, (change, each) => removeTransactions(change, [each])));
      model.rows.delete(row.id);
      return true;
    }
  }
}

async function insert(book: UndoneBook, model: GroupingModel, { picks, seed }: Action) {
  await book.change(function* (change) {
    const [cash] = yield* select(manualAccounts, { book_id: change.bookId });
    for (const pick of picks) {
      const id = yield* new BulkRows(change).nextId();
      const isEuro = pick % 3 === 0;
      const amount = (pick - 12) * 3333;
      const row = { id, amount, toBase: isEuro ? pick * 777 : amount };
      const flags = { isPending: pick % 7 === 0, isRecurring: pick % 8 === 0 };
      const hasAccount = !isEuro && !flags.isPending && pick % 2 === 0;
      model.add({ ...row, ...flags, hasAccount, currency: isEuro ? 'eur' : 'usd' });
      yield* insertTransactions(change, [
        {
          ...{ id, date: `2024-01-0${1 + (pick % 3)}`, amount, to_base: row.toBase, payee: 'P' },
          ...{ currency: isEuro ? 'eur' : 'usd', status: seed % 2 ? 'reviewed' : 'unreviewed' },
          ...{ manual_account_id: hasAccount ? cash!.id : null, is_pending: flags.isPending },
          recurring_id: flags.isRecurring ? yield* recurringItem(change) : null,
        },
      ]);
    }
  });
  return true;
}

/** Returns the id of the recurring item of the book, which it creates if it is missing. */
function* recurringItem(change: Change): Steps<number> {
  const found = yield* find(recurringItems, { book_id: change.bookId });
  if (found !== undefined) return found.id;
  const schedule = { granularity: 'month', quantity: 1, anchor_date: '2024-01-01' } as const;
  const made = yield* change.insert(recurringItems, {
    ...{ ...schedule, amount: 1, to_base: 1, currency: 'usd', created_by: 1 },
    ...{ status: 'reviewed', source: 'manual' },
  });
  return made.id;
}

async function group(book: UndoneBook, model: GroupingModel, rows: readonly ModelRow[]) {
  if (rows.length < 2) return true;
  const ids = rows.map(({ id }) => id);
  let made = 0;
  const work = function* (change: Change) {
    made = yield* groupTransactions(change, { ids, date: '2024-01-02', payee: 'G' });
  };
  if (!model.canGroup(rows)) return refused(book, work);
  await book.change(work);
  model.group(made, rows);
  return true;
}

async function split(book: UndoneBook, model: GroupingModel, row: ModelRow, seed: number) {
  const firsts = Array.from({ length: 1 + (seed % 3) }, (_, at) => (seed - 500) * (at + 1));
  const isWrong = seed % 5 === 0;
  const amounts = [...firsts, row.amount - total(firsts) + (isWrong ? 1 : 0)];
  let parts: readonly TransactionRow[] = [];
  const work = withRow(row.id, function* (change, parent) {
    parts = yield* splitTransaction(
      change,
      parent,
      amounts.map((amount) => ({ amount })),
    );
  });
  if (isWrong || !isPlain(row) || row.isRecurring) return refused(book, work);
  await book.change(work);
  assert.deepEqual(
    parts.map(({ amount }) => amount),
    amounts,
  );
  model.rows.set(row.id, { ...row, isSplit: true });
  for (const { id, amount, to_base: toBase } of parts)
    model.add({ ...row, id, amount, toBase, splitId: row.id });
  return true;
}

function withRow(id: number, work: (change: Change, row: TransactionRow) => Steps<unknown>) {
  return function* (change: Change): Steps<void> {
    yield* work(change, (yield* find(transactions, { book_id: change.bookId, id }))!);
  };
}

async function refused(book: UndoneBook, work: (change: Change) => Steps<unknown>) {
  const [before, version] = [await book.state(), await book.version()];
  await assert.rejects(book.change(work), (error) => error instanceof Problem);
  assert.deepEqual([await book.state(), await book.version()], [before, version]);
  return false;
}

/** Compares the rows, the list and its counts, the balance, and the totals of parts and members with the model. */
async function assertSame(book: UndoneBook, model: GroupingModel): Promise<void> {
  const ofBook = { book_id: book.id };
  const { rows, listed, counted, account } = await book.read(function* () {
    const rows = yield* select(transactions, ofBook);
    const listed = yield* rowsAs(
      { id: integer },
      sql`SELECT id FROM transactions WHERE book_id = ${book.id} AND listed = 1 ORDER BY id`,
    );
    const counted = yield* rowsAs(
      { listed: integer },
      sql`SELECT listed FROM transaction_counts WHERE book_id = ${book.id} AND granularity = 'day'`,
    );
    return { rows, listed, counted, account: yield* find(manualAccounts, ofBook) };
  });
  const listedIds = listed.map(({ id }) => id);
  assert.deepEqual(listedIds, model.listed);
  assert.equal(total(counted.map((day) => day.listed)), listedIds.length);
  assert.equal(account!.balance, 0 + model.balance);
  const found = rows.map((row) => ({
    ...{ id: row.id, amount: row.amount, toBase: row.to_base, currency: row.currency },
    ...{ isGroup: row.is_group_parent, isSplit: row.is_split_parent },
    ...{ groupId: row.group_parent_id, splitId: row.split_parent_id },
    ...{ hasAccount: row.manual_account_id !== null, isPending: row.is_pending },
    isRecurring: row.recurring_id !== null,
  }));
  const expected = [...model.rows.values()].toSorted((a, b) => a.id - b.id);
  assert.deepEqual(
    found,
    expected.map((row) => ({ ...row })),
  );
  for (const parent of expected.filter(({ isSplit }) => isSplit)) {
    const parts = expected.filter(({ splitId }) => splitId === parent.id);
    assert.equal(total(parts.map(({ amount }) => amount)), parent.amount);
    assert.equal(total(parts.map(({ toBase }) => toBase)), parent.toBase);
  }
}
