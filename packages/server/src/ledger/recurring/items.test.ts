import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { undo, type UndoConflictError } from '../../book/undo.ts';
import { select } from '../../db/rows.ts';
import { categories, manualAccounts, transactions } from '../../db/tables/tables.ts';
import { recordingEngine, type RecordingEngine } from '../../db/testing/recording-engine.ts';
import { EngineBook, onEnginesAt } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { removeCategory } from '../remove.ts';
import { BulkRows, type NewTransaction } from '../transactions/writes.ts';
import {
  listRecurring,
  recurringRecord,
  addRecurring,
  changeRecurring,
  deleteRecurring,
} from './items.ts';
import {
  expectedOccurrences,
  knownRecurringIds,
  matchRecurring,
  shownText,
  shownTexts,
} from './links.ts';
import type { CriteriaInput, OverridesInput } from './schema.ts';

const now = () => Date.parse('2026-06-15T12:00:00.000Z');

onEnginesAt('recurring items', now, (open) => {
  let engine: RecordingEngine;
  let book: EngineBook;
  let bookId: number;
  let account: number;
  let category: number;
  beforeEach(async () => {
    const opened = await open();
    engine = recordingEngine(opened.engine);
    book = new EngineBook(engine, opened.book);
    bookId = book.id;
    await book.change(function* (change) {
      const balance = { currency: 'usd', balance: 0, balance_as_of: change.at };
      const made = { name: 'Checking', type: 'cash', created_by_name: 'A', ...balance };
      account = (yield* change.insert(manualAccounts, made)).id;
      category = (yield* change.insert(categories, { name: 'Home' })).id;
    });
  });

  const row = (date: string, more: Partial<NewTransaction> = {}): Omit<NewTransaction, 'id'> => ({
    date,
    amount: 9_500_000,
    to_base: 9_500_000,
    currency: 'usd',
    payee: 'LAND\u00a0\tLORD',
    notes: `Note of ${date}`,
    category_id: null,
    status: 'unreviewed',
    manual_account_id: account,
    ...more,
  });
  /** Inserts transactions as others do, linked to their items, and returns them by date. */
  const insert = async (...rows: readonly Omit<NewTransaction, 'id'>[]) => {
    await book.change(function* (change) {
      const bulk = new BulkRows(change);
      const all: NewTransaction[] = [];
      for (const each of rows) all.push({ ...each, id: yield* bulk.nextId() });
      for (const each of yield* matchRecurring(change, all)) bulk.add(each);
      yield* bulk.flush();
    });
    return stored();
  };
  const stored = () =>
    engine.read(() =>
      select(transactions, { book_id: bookId }, { orderBy: ['date', 'payee', 'amount', 'id'] }),
    );
  const linkedDates = async () =>
    (await stored()).filter((each) => each.recurring_id !== null).map(({ date }) => date);
  const add = (criteria: Partial<CriteriaInput> = {}, overrides: OverridesInput = {}) =>
    engine.write(() =>
      addRecurring(bookId, 1, {
        transaction_criteria: {
          granularity: 'month',
          quantity: 1,
          anchor_date: '2026-01-31',
          amount: '950',
          payee: ' land  lord',
          manual_account_id: account,
          ...criteria,
        },
        overrides,
      }),
    );

  it('are linked to new transactions that fit, which show their text and become reviewed', async () => {
    const item = await add({}, { payee: 'Rent', category_id: category });
    const others = [
      row('2026-03-31', { currency: 'eur' }),
      row('2026-03-31', { amount: 9_500_001 }),
      row('2026-03-31', { manual_account_id: null }),
      row('2026-03-31', { payee: 'Landlady' }),
      row('2026-03-31', { is_pending: true }),
      row('2026-03-15'),
    ];
    // Two rows for one expected date: the closer one is linked.
    const all = await insert(row('2026-02-25'), row('2026-03-01'), ...others);
    const linked = all.filter(({ recurring_id: id }) => id !== null);
    assert.equal(all.length, 8);
    const [found = assert.fail(), ...rest] = linked;
    const shown = { payee: 'Rent', notes: null, category_id: category, status: 'reviewed' };
    const own = {
      own_payee: 'LAND\u00a0\tLORD',
      own_notes: 'Note of 2026-03-01',
      own_category_id: null,
    };
    const link = { date: '2026-03-01', recurring_id: item.id };
    assert.deepEqual([{ ...found, ...link, ...shown, ...own }, ...rest], [found]);
    await insert(row('2026-02-27'), row('2026-03-31', { original_name: 'land lord', payee: 'X' }));
    assert.deepEqual(await linkedDates(), ['2026-03-01', '2026-03-31'], 'a date is taken once');
  });

  it('are matched by as many statements for a thousand rows as for one', async () => {
    await add({ amount_tolerance: '50' });
    const statements = async (count: number) => {
      const before = engine.recorded.length;
      await book.change(function* (change) {
        const like = row('2026-03-30');
        const rows = Array.from({ length: count }, (_, at) => ({ ...like, id: at + 1 }));
        const matched = yield* matchRecurring(change, rows);
        assert.equal(matched.filter(({ recurring_id: id }) => id !== null).length, 1);
      });
      return engine.recorded.length - before;
    };
    assert.equal(await statements(1000), await statements(1));
  });

  it('accept amounts within the tolerance, and choose the closest', async () => {
    const near = await add({ amount: '900', amount_tolerance: '60' });
    const exact = await add({ amount: '955', amount_tolerance: 5 });
    const all = await insert(row('2026-02-28'), row('2026-02-28', { amount: 9_000_000 }));
    assert.deepEqual(pick(all, 'recurring_id'), [near.id, exact.id]);
  });

  it('are linked to existing transactions of two years when they are new or change', async () => {
    await insert(row('2023-12-31'), row('2026-04-30'), row('2026-05-31'), row('2026-05-14'));
    await add();
    assert.deepEqual(await linkedDates(), ['2026-04-30', '2026-05-31']);
  });

  it('change what linked transactions show', async () => {
    const item = await add();
    await insert(row('2026-04-30', { category_id: category }), row('2026-05-31'));
    const shown = async () => pick(await stored(), 'payee', 'notes', 'category_id');
    assert.deepEqual(await shown(), [
      [' land  lord', null, category],
      [' land  lord', null, null],
    ]);
    const overrides = { payee: 'Rent', notes: 'flat', category_id: category };
    await engine.write(() => changeRecurring(bookId, item.id, { overrides }));
    assert.deepEqual(await shown(), [
      ['Rent', 'flat', category],
      ['Rent', 'flat', category],
    ]);
    const [own] = pick(await stored(), 'own_payee', 'own_notes');
    assert.deepEqual(own, ['LAND\u00a0\tLORD', 'Note of 2026-04-30']);
    const range = { start_date: '2026-05-01', end_date: '2026-06-30' };
    const expected = await engine.read(() => expectedOccurrences(bookId, range));
    assert.deepEqual(pick(pick(expected, 'item'), 'id'), [item.id, item.id]);
    assert.deepEqual(pick(expected, 'date', 'isFound'), [
      ['2026-05-31', true],
      ['2026-06-30', false],
    ]);
    assert.equal(await engine.write(() => deleteRecurring(bookId, item.id)), 2);
    assert.deepEqual(await shown(), [
      ['LAND\u00a0\tLORD', 'Note of 2026-04-30', category],
      ['LAND\u00a0\tLORD', 'Note of 2026-05-31', null],
    ]);
    assert.deepEqual(await linkedDates(), []);
  });

  it('cannot be undone while later transactions are linked to them', async () => {
    await add();
    const version = await book.version();
    await insert(row('2026-04-30'));
    await assert.rejects(
      book.change((change) => undo(change, version)),
      ({ conflicts: [{ record, column, reason } = assert.fail()] }: UndoConflictError) =>
        `${record} ${column} ${reason}` === 'transactions recurring_id used since',
    );
  });

  it('keep own text for rows that others link, in one statement for 500', async () => {
    const { id } = await add({}, { notes: 'n' });
    const other = (await open()).id;
    const own = { recurring_id: id, payee: 'P', notes: 'N', category_id: 3 };
    const before = engine.recorded.length;
    const many = Array.from({ length: 500 }, () => own);
    const all = await engine.read(() => shownTexts(bookId, many));
    assert.equal(engine.recorded.length - before, 1);
    const text = { own_payee: 'P', own_notes: 'N', own_category_id: 3 };
    const shown = { payee: ' land  lord', notes: 'n', category_id: 3, ...text };
    assert.deepEqual([all.length, all[0]], [500, shown]);
    assert.deepEqual(await engine.read(() => shownText(bookId, own)), shown);
    const foreign = await engine.read(() => shownText(other, own));
    assert.deepEqual([foreign.payee, foreign.own_payee], ['P', null]);
    const known = (book: number) => engine.read(() => knownRecurringIds(book, [id, 999_999]));
    assert.deepEqual([[...(await known(bookId))], [...(await known(other))]], [[id], []]);
  });

  it('lose their links when they are dismissed, and get them back when they are accepted', async () => {
    const { id } = await add({}, { category_id: category });
    await insert(row('2026-04-30'));
    const state = async () => {
      const known = await engine.read(() => knownRecurringIds(bookId, [id]));
      const count = () => recurringRecord.refersTo.categories!.count(bookId, category);
      const [only] = await stored();
      return [only!.recurring_id, only!.payee, known.size, await engine.read(count)];
    };
    assert.deepEqual(await state(), [id, ' land  lord', 1, 1]);
    await engine.write(() => changeRecurring(bookId, id, { status: 'dismissed' }));
    assert.deepEqual(await state(), [null, 'LAND\u00a0\tLORD', 0, 0]);
    await engine.write(() => changeRecurring(bookId, id, { status: 'reviewed' }));
    assert.deepEqual(await state(), [id, ' land  lord', 1, 1]);
  });

  it('follow changes of categories and accounts', async () => {
    const item = await add({}, { category_id: category });
    const [linked] = await insert(row('2026-04-30', { category_id: null }));
    assert.equal(linked!.category_id, category);
    const { categories: ofCategory, manual_accounts: ofAccount } = recurringRecord.refersTo;
    const count = (id: number) => engine.read(() => ofCategory!.count(bookId, id));
    assert.equal(await count(category), 1);
    const other = await book.change((change) => change.insert(categories, { name: 'Other' }));
    await book.change((change) => ofCategory!.move(change, category, other.id));
    assert.equal((await stored())[0]!.category_id, other.id);
    assert.deepEqual([await count(category), await count(other.id)], [0, 1]);
    await book.change((change) => ofCategory!.detach(change, other.id));
    assert.equal((await stored())[0]!.category_id, null);
    const overrides = { category_id: category };
    await engine.write(() => changeRecurring(bookId, item.id, { overrides }));
    await book.change((change) => removeCategory(change, { ...other, id: category }));
    assert.equal((await stored())[0]!.category_id, null);
    const moved = { manual_account_id: account + 1, plaid_account_id: null };
    await book.change((change) => ofAccount!.move(change, account, moved));
    assert.equal((await linkedDates()).length, 1);
    await book.change((change) => ofAccount!.remove(change, account));
    assert.equal((await linkedDates()).length, 1);
    await book.change((change) => ofAccount!.remove(change, account + 1));
    assert.deepEqual(await engine.read(() => listRecurring(bookId)), []);
    assert.equal((await stored())[0]!.payee, 'LAND\u00a0\tLORD');
  });
});
