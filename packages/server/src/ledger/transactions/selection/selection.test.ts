import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { searchWords } from '@coffer/core/fold';
import type { Change } from '../../../book/change.ts';
import { run, type Engine, type Steps } from '../../../db/engine.ts';
import { DerivedOutdatedError, outdatedBooks } from '../../../db/fill-derived.ts';
import { followAll } from '../../../db/follow-search.ts';
import { categories, plaidAccounts, tags, transactions } from '../../../db/tables/tables.ts';
import { engines } from '../../../db/testing/engines.ts';
import { EngineBook } from '../../../http/testing/engine-book.ts';
import { checkDatabase } from '../../../maintenance/doctor.ts';
import { selectionSorts, type Selection } from '../../../pages/selection/query.ts';
import { listSelection, selectedMonths } from '../../../pages/selection/selection.ts';
import { RememberedKeys } from '../../../pages/remembered-keys.ts';
import { createCategory } from '../../categories/actions.ts';
import { monthsOf, selectedRows, sumsOfRows } from '../testing/selection-model.ts';
import type { SelectionModel } from '../testing/selection-model.ts';
import { BulkRows } from '../writes.ts';
import sql from 'sql-template-tag';
import { monthsToWire, payeesOf, sumsOf } from './actions.ts';
import { derivedJob } from '../../../all-jobs.ts';
import { runs } from '../../../../../core/src/testing/length.ts';
import type { SumsQuery } from './schema.ts';
import { countings } from '../../../pages/sides.ts';

const texts = [
  ...'Café Müller|CAFE|Zoë’s café|Straße 5|STRASSE|Łódź tram|a|| |קפה תל אביב|\u202Bקפה\u202C'.split(
    '|',
  ),
  ...'100% off_\\"\'|ÅÄÖ|Ålesund|naïve Æther|😀 party|İstanbul|ﬁne dining|two words|words two'.split(
    '|',
  ),
  `${'x'.repeat(320)} end`,
  `${'😀'.repeat(299)}yz`,
];
const queries = [
  ...'cafe|CAFÉ|mull|strasse|straße|lodz|קפה|%|_|\\|"|\'|a|ae|two words|cafe two|z|aa'.split('|'),
  ...'alesund|😀|y|end|istanbul|fine|cafe a|nothing'.split('|'),
];

const text = fc.constantFrom(...texts);
const twoDigits = (max: number) =>
  fc.integer({ min: 1, max }).map((number) => String(number).padStart(2, '0'));
const day = fc
  .tuple(fc.constantFrom('2023', '2024'), twoDigits(12), twoDigits(28))
  .map((parts) => parts.join('-'));
const pick = fc.integer({ min: 0, max: 3 });
const row = fc.record({
  date: day,
  amount: fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom(2 ** 53 - 1, 1 - 2 ** 53)),
  payee: text,
  notes: fc.option(text),
  category: fc.integer({ min: 0, max: 5 }),
  account: pick,
  tags: fc.uniqueArray(fc.integer({ min: 0, max: 1 })),
  status: fc.constantFrom('reviewed', 'unreviewed'),
  is_pending: fc.boolean(),
  is_split_parent: fc.boolean(),
  isMember: fc.boolean(),
  isPart: fc.boolean(),
  import_id: fc.option(fc.integer({ min: 1, max: 2 })),
});
type Values = typeof row extends fc.Arbitrary<infer T> ? T : never;

const action = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    rows: fc.array(row, { minLength: 1, maxLength: 12 }),
  }),
  fc.record({ kind: fc.constant('update' as const), picks: fc.array(fc.nat(30)), row }),
  fc.record({
    kind: fc.constant('remove' as const),
    picks: fc.array(fc.nat(30), { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('undo' as const) }),
  // The blocks of the search get what changed before; else a search reads it from the log.
  fc.record({ kind: fc.constant('write blocks' as const) }),
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const idList = fc.uniqueArray(pick, { minLength: 1, maxLength: 3 });
const filter = fc.record({
  q: fc.oneof(fc.constant(''), fc.constantFrom(...queries)),
  payee: fc.option(text, { nil: undefined, freq: 1 }),
  min_amount: optional(fc.integer({ min: 0, max: 5 })),
  max_amount: optional(fc.integer({ min: 0, max: 6 })),
  categories: optional(idList),
  accounts: optional(idList),
  tags: optional(fc.constantFrom([0], [1], [1, 2], [2])),
  status: optional(fc.constant('reviewed' as const)),
  start_date: optional(fc.constantFrom('2023-05-01', '2023-06-07')),
  end_date: optional(fc.constantFrom('2024-08-31', '2024-06-07')),
  import_id: optional(fc.constant(1)),
  is_split_part: optional(fc.boolean()),
  counts_as: optional(fc.constantFrom(...countings)),
  include_pending: fc.boolean(),
  include_split_parents: fc.boolean(),
  include_group_children: fc.boolean(),
  sort: fc.constantFrom(...selectionSorts),
  limit: fc.integer({ min: 1, max: 5 }),
});
type Filter = typeof filter extends fc.Arbitrary<infer T> ? T : never;

/** Filters that select all that lists show. */
const listed = {
  q: '',
  include_pending: false,
  include_split_parents: false,
  include_group_children: false,
  sort: '-date',
  limit: 5,
} as Filter;
/** The sums of months are stored. */
const wholeMonths: Filter = { ...listed, start_date: '2023-05-01', end_date: '2024-08-31' };

/** What counts is listed, whatever a request asks for. */
const onlyListed = {
  include_pending: false,
  include_split_parents: false,
  include_group_children: false,
};

/** Sums by all divisions, of all rows and of each side; those of the first are stored. */
const sumQueries: readonly SumsQuery[] = [
  { transfers: 'counted', by: 'month,category,account' },
  { transfers: 'counted', by: 'tag,month', start_date: '2023-05-02', counts_as: 'spending' },
  { transfers: 'counted', by: 'payee,account', counts_as: 'income' },
  { transfers: 'counted', by: 'day,category', end_date: '2024-06-07', counts_as: 'spending' },
  { transfers: 'counted', by: 'category', counts_as: 'inflow' },
];

/** Ids of the records that rows refer to; 0 is none. */
interface Known {
  readonly categories: readonly number[];
  readonly accounts: readonly number[];
  readonly tags: readonly number[];
}

function* addKnown(change: Change): Steps<Known> {
  const group = yield* createCategory(change, { name: 'Food', is_group: true });
  const bread = yield* createCategory(change, { name: 'Bread', group_id: group.id });
  const rent = yield* createCategory(change, { name: 'Rent' });
  const salary = yield* createCategory(change, { name: 'Salary', is_income: true });
  const moves = yield* createCategory(change, { name: 'Moves', exclude_from_totals: true });
  const bank = { name: 'A', type: 'cash', currency: 'eur', balance: 0, institution_name: 'B' };
  const linked = { subtype: 's', mask: '1', linked_by_name: 'A', date_linked: '2024-01-01' };
  const accounts = [0];
  for (let count = 0; count < 2; count += 1)
    accounts.push((yield* change.insert(plaidAccounts, { ...bank, ...linked })).id);
  const named = [];
  for (const name of ['X', 'Y']) named.push(yield* change.insert(tags, { name }));
  return {
    categories: [0, group.id, bread.id, rent.id, salary.id, moves.id],
    accounts: [...accounts, 2 ** 40],
    tags: named.map(({ id }) => id),
  };
}

function orNull(id = 0): number | null {
  return id === 0 ? null : id;
}

function columnsOf(
  known: Known,
  { category, account, tags: tagged, isMember, isPart, ...values }: Values,
) {
  return {
    ...values,
    notes: values.notes,
    to_base: values.amount,
    currency: 'eur',
    // A group has no transactions.
    category_id: orNull(known.categories[category === 1 ? 0 : category]),
    plaid_account_id: orNull(known.accounts[account === 3 ? 0 : account]),
    tag_ids: JSON.stringify(tagged.map((index) => known.tags[index])),
    group_parent_id: isMember ? 5 : null,
    split_parent_id: isPart ? 1_000_000 : null,
  } as const;
}

function selectionOf(
  known: Known,
  { q, categories: inCategories, accounts, tags: tagged, ...rest }: Filter,
): Selection {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...(given as object as Selection),
    include_children: false,
    include_metadata: false,
    include_files: false,
    words: searchWords(q),
    sort: rest.sort,
    limit: rest.limit,
    offset: 0,
    ...(rest.counts_as !== undefined && onlyListed),
    ...(inCategories && { category_ids: inCategories.map((index) => known.categories[index]!) }),
    ...(accounts && { plaid_account_ids: accounts.map((index) => known.accounts[index]!) }),
    ...(tagged && { tag_ids: tagged.map((index) => (index === 0 ? 0 : known.tags[index - 1]!)) }),
  };
}

for (const { name, skip, open } of engines) {
  describe(`selections on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    async function perform(book: EngineBook, known: Known, { ...action }: Action): Promise<void> {
      if (action.kind === 'undo') return book.undoLast();
      if (action.kind === 'write blocks') return followAll(engine, book.id);
      const rows = await book.rows(transactions);
      await book.change(function* (change) {
        if (action.kind === 'add') {
          const bulk = new BulkRows(change);
          for (const each of action.rows)
            bulk.add({ ...columnsOf(known, each), id: yield* bulk.nextId() });
          return yield* bulk.flush();
        }
        const picked = [...new Set(action.picks)].flatMap((index) => rows[index] ?? []);
        if (action.kind === 'update')
          return yield* change.updateAll(transactions, picked, columnsOf(known, action.row));
        return yield* change.removeAll(transactions, picked);
      });
    }

    async function assertSame(
      book: EngineBook,
      model: SelectionModel,
      selection: Selection,
    ): Promise<void> {
      const expected = selectedRows(model, selection);
      const keys = new RememberedKeys(50);
      const ids: number[] = [];
      for (let offset = 0; ; offset += selection.limit) {
        const page = await book.read(() => listSelection(book.id, { ...selection, offset }, keys));
        assert.equal(page.total, expected.length);
        const rows = JSON.parse(`[${page.json.toString()}]`) as { id: number }[];
        ids.push(...rows.map(({ id }) => id));
        if (!page.hasMore) break;
      }
      assert.deepEqual(
        ids,
        expected.map(({ id }) => id),
      );
      const deep = { ...selection, offset: 3 };
      const page = await book.read(() => listSelection(book.id, deep, new RememberedKeys(1)));
      assert.equal(page.hasMore, expected.length > 3 + selection.limit);
      const none = new RememberedKeys(1);
      const months = await book.read(() => selectedMonths(book.id, selection, none));
      assert.deepEqual(monthsToWire(months), monthsOf(expected));
    }

    const modelOf = async (book: EngineBook): Promise<SelectionModel> => ({
      rows: await book.rows(transactions),
      categories: await book.rows(categories),
    });

    async function assertSums(book: EngineBook, model: SelectionModel): Promise<void> {
      const sorted = (all: readonly object[]) => all.map((each) => JSON.stringify(each)).toSorted();
      for (const query of sumQueries) {
        const { sums } = await book.read(() => sumsOf(book.id, query));
        assert.deepEqual(sorted(sums), sorted(sumsOfRows(model, query)), query.by);
      }
    }

    it('agree with a model after additions, updates, removals and undos', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(action, { minLength: 1, maxLength: 5 }),
          fc.array(filter, { minLength: 3, maxLength: 8 }),
          async (actions, filters) => {
            const book = await EngineBook.open(engine);
            const known = await book.change(addKnown);
            const first = await book.version();
            for (const each of actions) {
              if (each.kind === 'undo' && (await book.version()) === first) continue;
              await perform(book, known, each);
              const model = await modelOf(book);
              await assertSums(book, model);
              for (const one of [wholeMonths, ...filters])
                await assertSame(book, model, selectionOf(known, one));
            }
            const found = await checkDatabase(engine, { repair: false });
            // Rows of the model belong to groups, or are split, in a way that no operation makes.
            const unmade = ['splits', 'split parents', 'group parents', 'group members'];
            const others = found.filter(({ check }) => !unmade.includes(check));
            assert.deepEqual(others, []);
          },
        ),
        { numRuns: runs(name === 'SQLite' ? 40 : 10) },
      );
    });

    it('find marks of any form, also in texts that an older release has folded', async () => {
      const book = await EngineBook.open(engine);
      const payees = ['O’Neill “Bar”', 'Rhein–Main', "O'Neill", '−', 'unused'];
      await book.change(function* (change) {
        const bulk = new BulkRows(change);
        for (const payee of payees)
          bulk.add({
            id: yield* bulk.nextId(),
            date: '2024-01-02',
            amount: 7,
            to_base: 7,
            payee,
            currency: 'eur',
            status: 'reviewed',
          });
        yield* bulk.flush();
      });
      const found = (q: string) => book.read(() => payeesOf(book.id, { q, limit: 9 }));
      const counts = async () => {
        const all = await Promise.all(
          ["o'neill", 'o’neill', '"bar"', 'rhein-main', '-'].map(found),
        );
        return all.map(({ payees: each }) => each.length);
      };
      assert.deepEqual(await counts(), [2, 2, 1, 1, 2]);
      await engine.write(function* () {
        yield* run(
          sql`UPDATE transaction_texts SET folded = ' ' || lower(text) WHERE book_id = ${book.id}`,
        );
        yield* run(sql`UPDATE books SET derived_version = 0 WHERE id = ${book.id}`);
      });
      await assert.rejects(counts, DerivedOutdatedError);
      // A change does not make them current, and a text that is no longer used is folded in the new way, or gone.
      await book.change((change) => change.insert(tags, { name: 'T' }));
      await assert.rejects(counts, DerivedOutdatedError);
      await derivedJob.run(engine, 0, new AbortController().signal);
      assert.deepEqual(await counts(), [2, 2, 1, 1, 2]);
    });

    it('compare a payee to its end, behind what is searched of it', async () => {
      const book = await EngineBook.open(engine);
      const long = 'Bakery '.repeat(60);
      const payees = [`${long}A`, `${long}B`, long.slice(0, 300)];
      await book.change(function* (change) {
        const bulk = new BulkRows(change);
        const row = { date: '2024-01-02', amount: 7, to_base: 7, currency: 'eur' };
        for (const payee of payees)
          bulk.add({ ...row, payee, id: yield* bulk.nextId(), status: 'reviewed' });
        yield* bulk.flush();
      });
      const none: Known = { categories: [], accounts: [], tags: [] };
      for (const payee of payees)
        await assertSame(book, await modelOf(book), selectionOf(none, { ...listed, payee }));
    });

    it('find a page far down a list by amount, among many equal amounts', async () => {
      const book = await EngineBook.open(engine);
      await book.change(function* (change) {
        const bulk = new BulkRows(change);
        for (let at = 0; at < 1100; at += 1) {
          const [date, amount] = [`2024-01-0${1 + (at % 9)}`, ((at * 7) % 31) - 15];
          const row = { date, amount, to_base: amount, payee: `P${at}`, currency: 'eur' };
          bulk.add({ ...row, id: yield* bulk.nextId(), status: 'reviewed' });
        }
        yield* bulk.flush();
      });
      const none: Known = { categories: [], accounts: [], tags: [] };
      const model = await modelOf(book);
      for (const sort of ['amount', '-amount'] as const)
        for (const offset of [1000, 1001, 1047, 1099]) {
          const selection = { ...selectionOf(none, { ...listed, sort, limit: 60 }), offset };
          const keys = new RememberedKeys(1);
          const { json, hasMore } = await book.read(() => listSelection(book.id, selection, keys));
          const found = (JSON.parse(`[${json.toString()}]`) as { id: number }[]).map(
            ({ id }) => id,
          );
          const expected = selectedRows(model, selection).slice(offset, offset + 60);
          assert.deepEqual(
            found,
            expected.map(({ id }) => id),
          );
          assert.equal(hasMore, offset + 60 < 1100);
        }
    });

    it('wait for derived tables that an older node has not written', async () => {
      const book = await EngineBook.open(engine);
      await book.change(function* (change) {
        const bulk = new BulkRows(change);
        const known: Known = { categories: [0], accounts: [0], tags: [] };
        for (const payee of texts)
          bulk.add({
            ...columnsOf(known, {
              date: '2024-01-02',
              amount: 7,
              payee,
              notes: payee,
              category: 0,
              account: 0,
              tags: [],
              status: 'reviewed',
              is_pending: false,
              is_split_parent: false,
              isMember: false,
              isPart: false,
              import_id: null,
            }),
            id: yield* bulk.nextId(),
          });
        yield* bulk.flush();
      });
      await engine.write(function* () {
        yield* run(sql`UPDATE books SET derived_version = 0 WHERE id = ${book.id}`);
        yield* run(sql`DELETE FROM transaction_texts WHERE book_id = ${book.id}`);
        yield* run(sql`UPDATE transaction_sums SET listed = 0 WHERE book_id = ${book.id}`);
      });
      const outdated = () =>
        book.read(() => sumsOf(book.id, { by: 'month', transfers: 'counted' }));
      await assert.rejects(outdated, DerivedOutdatedError);
      await book.change((change) => change.insert(tags, { name: 'T' }));
      await assert.rejects(outdated, DerivedOutdatedError);
      await derivedJob.run(engine, 0, new AbortController().signal);
      assert.deepEqual(await engine.read(() => outdatedBooks()), []);
      await assertSums(book, await modelOf(book));
      const plain = { include_pending: false, include_split_parents: false };
      const shown = { ...plain, include_group_children: false, sort: 'amount' } as const;
      const cafe = { q: 'cafe', limit: 2, ...shown } as Filter;
      const none: Known = { categories: [], accounts: [], tags: [] };
      await assertSame(book, await modelOf(book), selectionOf(none, cafe));
    });
  });
}
