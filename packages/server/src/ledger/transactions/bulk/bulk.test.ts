import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Change } from '../../../book/change.ts';
import type { Steps } from '../../../db/engine.ts';
import { find } from '../../../db/rows.ts';
import { manualAccounts, recurringItems, transactions } from '../../../db/tables/tables.ts';
import { onEngines, type EngineBook } from '../../../http/testing/engine-book.ts';
import { checkDatabase } from '../../../maintenance/doctor.ts';
import { RememberedKeys } from '../../../pages/remembered-keys.ts';
import { listSelection } from '../../../pages/selection/selection.ts';
import { runs } from '../../../../../core/src/testing/length.ts';
import { groupTransactions } from '../group.ts';
import { createTransactions } from '../requests/insert.ts';
import type { TransactionUpdateWithId } from '../requests/bodies.ts';
import { changeTransactions } from '../requests/update.ts';
import { monthsSelectionOf } from '../selection/actions.ts';
import { splitTransaction } from '../split.ts';
import { makeWriteScene, type WriteScene } from '../testing/write-scene.ts';
import type { TransactionRow } from '../writes.ts';
import { changeBulk, previewBulk } from './actions.ts';
import type { BulkQuery, BulkUpdate } from './schema.ts';

const all: BulkQuery = {
  include_pending: true,
  include_split_parents: false,
  include_group_children: false,
  offset: 0,
};
const none = new RememberedKeys(1);

/** A book with plain and pending rows, a split, a group, and a row of a recurring item. */
function* makeRows(change: Change): Steps<WriteScene> {
  const scene = yield* makeWriteScene(change);
  const item = yield* change.insert(recurringItems, {
    ...({ status: 'reviewed', source: 'manual', currency: 'eur', amount: 50_000 } as const),
    ...({ payee: 'Landlord', created_by: 1, granularity: 'month', quantity: 1 } as const),
    ...{ anchor_date: '2026-01-01', to_base: 50_000 },
  });
  const row = (at: number, payee: string, more: object = {}) => ({
    ...{ date: `2026-01-0${at}`, amount: String(at), currency: 'eur' as const, payee },
    ...more,
  });
  // The currency of the book: these are changed in sets.
  const dollars = { currency: 'usd' } as const;
  const { ids } = yield* createTransactions(change, {
    transactions: [
      row(1, 'Shop', { manual_account_id: scene.cash, tag_ids: [scene.tagA] }),
      row(2, 'Shop', { ...dollars, manual_account_id: scene.card, external_id: 'two' }),
      row(3, 'Baker', { category_id: scene.food, notes: 'Bread' }),
      row(4, 'Split', { manual_account_id: scene.cash }),
      row(5, 'Member'),
      row(6, 'Member'),
      row(7, 'Rent', { recurring_id: item.id, manual_account_id: scene.cash }),
      row(8, 'Shop', { ...dollars, manual_account_id: scene.bank }),
      row(8, 'Shop', {
        ...dollars,
        manual_account_id: scene.card,
        tag_ids: [scene.tagA, scene.tagB],
      }),
      row(9, 'Pending shop', { notes: 'shop' }),
    ],
  });
  const [, , , split = 0, ...rest] = ids;
  const whole = yield* find(transactions, { book_id: change.bookId, id: split });
  const parts = [{ amount: 30_000, payee: 'Shop' }, { amount: 10_000 }];
  yield* splitTransaction(change, whole!, parts);
  const group = { ids: rest.slice(0, 2), payee: 'Group', date: '2026-01-05' };
  yield* groupTransactions(change, group);
  return scene;
}

async function makeBook(open: () => Promise<EngineBook>) {
  const book = await open();
  const scene = await book.change(makeRows);
  const rows = await book.rows(transactions);
  const pending = rows.find(({ payee }) => payee === 'Pending shop')!;
  await book.change((change) => change.update(transactions, pending, { is_pending: true }));
  const baker = rows.find(({ payee }) => payee === 'Baker')!;
  const ofLocked = { plaid_account_id: scene.locked };
  await book.change((change) => change.update(transactions, baker, ofLocked));
  return { book, scene };
}

const filters = fc.record(
  {
    q: fc.constantFrom('shop', 'bread', 'nothing'),
    payee: fc.constantFrom('Shop', 'Member'),
    min_amount: fc.constantFrom('3', '5'),
    category_ids: fc.constant('0'),
    start_date: fc.constantFrom('2026-01-02', '2026-01-05'),
    sort: fc.constantFrom('date', '-amount', 'amount', '-date'),
    offset: fc.nat(3),
    limit: fc.integer({ min: 1, max: 6 }),
  },
  { requiredKeys: [] },
);

const updates = fc
  .record(
    {
      category: fc.constantFrom('food', null),
      payee: fc.constantFrom('Other', 'Landlord', 'Shop'),
      notes: fc.constantFrom('N', '', null),
      status: fc.constantFrom('reviewed', 'unreviewed'),
      add: fc.constantFrom('tagA', 'tagB'),
      remove: fc.constantFrom('tagA', 'tagB'),
      date: fc.constantFrom('2026-01-02', '2025-12-01'),
      amount: fc.constantFrom('5', '-7.5'),
      account: fc.constantFrom('cash', 'card', 'bank', null),
    },
    { requiredKeys: [] },
  )
  .filter((each) => Object.keys(each).length > 0 && each.add !== each.remove);

function updateOf(scene: WriteScene, given: typeof updates extends fc.Arbitrary<infer T> ? T : 0) {
  const { category, add, remove, account, ...rest } = given;
  const isBank = account === 'bank';
  const id = account === null || account === undefined ? null : scene[account];
  return {
    ...rest,
    ...(category !== undefined && { category_id: category === null ? null : scene.food }),
    ...(add !== undefined && { add_tag_ids: [scene[add]] }),
    ...(account !== undefined && {
      manual_account_id: isBank ? null : id,
      plaid_account_id: isBank ? id : null,
    }),
    ...(remove !== undefined && { remove_tag_ids: [scene[remove]] }),
  } as BulkUpdate;
}

/** The same update of one row, as a request would send it. */
function bodyOf(row: TransactionRow, update: BulkUpdate): TransactionUpdateWithId {
  const { add_tag_ids: added = [], remove_tag_ids: removed = [], ...rest } = update;
  const ids = [...new Set([...(JSON.parse(row.tag_ids) as number[]), ...added])];
  return { ...rest, id: row.id, tag_ids: ids.filter((id) => !removed.includes(id)) };
}

const comparable = (rows: readonly TransactionRow[]) =>
  rows.map(({ updated_at: _at, ...rest }) => rest);

const balancesOf = async (book: EngineBook) =>
  (await book.rows(manualAccounts)).map(({ id, balance }) => [id, balance] as const);

onEngines('bulk changes', (open, engine) => {
  it('do what an update of each listed row does, as one version that can be undone', async () => {
    const { book, scene } = await makeBook(open);
    const before = comparable(await book.rows(transactions));
    await fc.assert(
      fc.asyncProperty(filters, updates, async (filter, given) => {
        const query = { ...all, ...filter };
        const update = updateOf(scene, given);
        const { offset, limit = 1000, sort = '-date', ...shown } = query;
        const selection = { ...monthsSelectionOf(shown), sort, offset, limit };
        const page = await book.read(() => listSelection(book.id, selection, none));
        const listed = JSON.parse(`[${page.json.toString()}]`) as { id: number }[];
        const rows = new Map((await book.rows(transactions)).map((row) => [row.id, row]));
        const isOfMembers = update.amount !== undefined || 'manual_account_id' in update;
        const isPending = ({ id }: { id: number }) =>
          update.status === 'reviewed' && rows.get(id)!.is_pending;
        const isLeftOut = (each: { id: number }) =>
          isPending(each) || (isOfMembers && isFixed(rows.get(each.id)!));
        const isFixed = (row: TransactionRow) =>
          row.is_group_parent || row.plaid_account_id === scene.locked;
        const taken = listed.filter((each) => !isLeftOut(each)).map(({ id }) => rows.get(id)!);
        const version = await book.version();
        const preview = await book.read(() => previewBulk(book.id, query, { update }, none));
        const { pending, grouped, locked } = preview.left_out;
        assert.deepEqual(
          [preview.version, preview.matched, pending, pending + grouped + locked],
          [version, listed.length, listed.filter(isPending).length, listed.length - taken.length],
        );
        const body = { update, version };
        const done = await book.change((change) => changeBulk(change, query, body, none));
        const after = comparable(await book.rows(transactions));
        const balances = await balancesOf(book);
        const changed = after.filter(
          (row, at) => JSON.stringify(row) !== JSON.stringify(before[at]),
        );
        const own = changed.filter(({ id }) => taken.some((row) => row.id === id)).length;
        assert.deepEqual([done.changed, preview.changed], [own, own]);
        assert.equal(await book.version(), changed.length === 0 ? version : version + 1);
        assert.equal(done.version, await book.version());
        assert.deepEqual(await checkDatabase(book.engine, { repair: false }), []);
        if (changed.length > 0) await book.undoLast();
        assert.deepEqual(comparable(await book.rows(transactions)), before);
        const bodies = taken.map((row) => bodyOf(row, update));
        await book.change((change) => changeTransactions(change, bodies, { takesArranged: true }));
        assert.deepEqual(comparable(await book.rows(transactions)), after);
        assert.deepEqual(await balancesOf(book), balances);
        if (bodies.length > 0) await book.undoLast();
      }),
      {
        numRuns: runs(engine === 'SQLite' ? 40 : 10),
        examples: [
          [{}, { amount: '5' }],
          [{}, { account: 'cash', date: '2025-12-01' }],
        ],
      },
    );
  });

  it('refuse an account in which an external id is taken', async () => {
    const { book, scene } = await makeBook(open);
    const taken = { date: '2026-01-09', amount: '1', currency: 'usd', external_id: 'two' } as const;
    await book.change((change) =>
      createTransactions(change, { transactions: [{ ...taken, manual_account_id: scene.cash }] }),
    );
    const body = { update: { manual_account_id: scene.cash } };
    const isNamed = (error: unknown): boolean =>
      JSON.stringify(error).includes('external ID exists in the manual account');
    await assert.rejects(
      book.change((change) => changeBulk(change, all, body, none)),
      isNamed,
    );
  });

  it('delete all but splits and groups, and move the balances back', async () => {
    const { book, scene } = await makeBook(open);
    const state = await book.state();
    assert.notEqual((await balancesOf(book))[0]![1], 0);
    const body = { delete: true };
    const outcome = {
      matched: 10,
      total: '18.0000',
      changed: 7,
      left_out: { pending: 0, split: 2, grouped: 1, locked: 0 },
    };
    const preview = await book.read(() => previewBulk(book.id, all, body, none));
    assert.deepEqual(preview, { version: await book.version(), ...outcome });
    const done = await book.change((change) => changeBulk(change, all, body, none));
    assert.deepEqual(done, { ...outcome, version: preview.version + 1 });
    const left = (await book.rows(transactions)).map(({ payee }) => payee);
    assert.deepEqual(left.toSorted(), ['Group', 'Member', 'Member', 'Shop', 'Split', 'Split']);
    const cash = [[scene.cash, -40_000] as const, [scene.card, 0] as const];
    assert.deepEqual(await balancesOf(book), cash);
    await book.undoLast();
    assert.deepEqual(await book.state(), state);
  });
});
