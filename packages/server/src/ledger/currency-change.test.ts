import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { changing, type Change } from '../book/change.ts';
import { readState } from '../book/testing/book-state.ts';
import { deleteUnlogged } from '../book/unlogged.ts';
import type { Engine, Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import {
  books,
  bookSettings,
  budgets,
  cryptoAccounts,
  cryptoBalances,
  exchangeRates,
  transactions,
} from '../db/tables/tables.ts';
import { usualEngines } from '../db/testing/engines.ts';
import { exportBook } from '../exports/lists/export.ts';
import { undoChange } from '../history/undo/actions.ts';
import { bookOf, setPrimaryCurrency } from '../identity/users/actions.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { check } from '../maintenance/doctor.ts';
import { changePrimaryCurrency, previewCurrencyChange } from './currency-change.ts';
import type { CurrencyChange } from './currency-change.ts';
import { storeRates } from './currencies/actions.ts';
import type { DayRates } from './currencies/ecb.ts';
import { draft, fill, fillOthers, plain, rates, valuedRows } from './testing/valued-book.ts';
import type { Draft } from './testing/valued-book.ts';
import { removeTransactions } from './transactions/writes.ts';

const today = '2026-02-01';
const drafts = fc.array(draft, { maxLength: 10 });
/** What is made in dollars, and what is made later. */
const history = fc.record({ first: drafts, later: drafts, rates });
const toEuros = { primary_currency: 'eur', budgets: 'convert' } as const;

const known: DayRates = new Map([
  ['usd', new Map([['2026-01-01', '2']])],
  ['jpy', new Map([['2026-01-01', '100']])],
]);
const grouped = ['usd', 'eur'].map((code): Draft => ({ ...plain(today, code), group: 0 }));
/** Parts that are in proportion to nothing. */
const parts = [100, -100].map((amount) => ({ amount, date: today }));
const split: Draft = { date: today, currency: 'jpy', parts, group: null };
const examples: [{ first: Draft[]; later: Draft[]; rates: DayRates }][] = [
  [{ first: [split], later: grouped, rates: known }],
];

for (const { name, skip, open } of usualEngines)
  describe(`a change of the primary currency on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse(`${today}T12:00:00.000Z`));
    });
    beforeEach(() => engine.write(() => deleteUnlogged(exchangeRates, { source: 'file' })));

    const load = async (all: DayRates) => {
      await engine.write(() => deleteUnlogged(exchangeRates, { source: 'file' }));
      await engine.write(() => storeRates(all, 'file'));
    };
    const change = <T>(bookId: number, work: (each: Change) => Steps<T>): Promise<T> =>
      engine.write(() => changing({ bookId, actor: 'test', operation: 'test' }, work));
    const versionOf = async (bookId: number) => (await engine.read(() => bookOf(bookId))).version;
    /** Creates a book in a currency, and makes changes of it. */
    const bookIn = async (currency: string, ...works: ((each: Change) => Steps<void>)[]) => {
      const { id } = await newBook(engine);
      await engine.write(() => setPrimaryCurrency(id, currency));
      for (const work of works) await change(id, work);
      return id;
    };
    const adds =
      (all: readonly Draft[]) =>
      (each: Change): Steps<void> =>
        fill(each, all);
    const turn = (bookId: number, body: CurrencyChange) =>
      change(bookId, (each) => changePrimaryCurrency(each, body));
    const undo = (bookId: number, version: number) => {
      const cause = { bookId, actor: 'test', operation: 'undo' };
      return undoChange(engine, cause, version, { mode: 'refuse' });
    };
    /** All amounts and values, but for budgets in dollars: their currency changes. */
    const valuesOf = async (bookId: number) => {
      const rows = (await engine.read(() => valuedRows(bookId))) as unknown[][];
      const own = await budgetsOf(bookId);
      return { currency: await currencyOf(bookId), rows: rows.slice(0, rows.length - own.length) };
    };
    const currencyOf = async (bookId: number) =>
      (await engine.read(() => bookOf(bookId))).primaryCurrency;
    const budgetsOf = async (bookId: number) => {
      const rows = await engine.read(() => select(budgets, { book_id: bookId }));
      return rows.map(({ amount, currency, to_base }) => [currency, amount, to_base]);
    };
    const isSound = async () => assert.deepEqual(await engine.read(() => check(false)), []);
    const removed = (...ids: number[]) =>
      engine.write(function* () {
        for (const id of ids) yield* deleteUnlogged(books, { id });
      });
    const numRuns = runs(name === 'SQLite' ? 40 : 8);

    it('gives each record the value that it has in a book created in that currency', async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ first, rates: all }) => {
          await load(all);
          const turned = await bookIn('usd', adds(first), fillOthers);
          const made = await bookIn('eur', adds(first), fillOthers);
          await turn(turned, toEuros);
          assert.deepEqual(await valuesOf(turned), await valuesOf(made));
          await isSound();
          await removed(turned, made);
        }),
        { numRuns, examples },
      );
    });

    it('is undone exactly, and redone', async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ first, rates: all }) => {
          await load(all);
          const id = await bookIn('usd', adds(first), fillOthers);
          const before = await readState(engine, id);
          await turn(id, toEuros);
          const after = await readState(engine, id);
          // Values that no rate of today gives come back, too.
          await load(new Map());
          const { version } = await undo(id, await versionOf(id));
          assert.deepEqual(await readState(engine, id), before);
          assert.equal(await currencyOf(id), 'usd');
          await undo(id, version!);
          assert.deepEqual(await readState(engine, id), after);
          assert.equal(await currencyOf(id), 'eur');
          await isSound();
          await removed(id);
        }),
        { numRuns, examples },
      );
    });

    it('is undone with what was made and removed since', async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ first, later, rates: all }) => {
          await load(all);
          const gone = [plain(today, 'jpy'), plain(today, 'usd')];
          const id = await bookIn('usd', adds(gone), adds(first), fillOthers);
          await turn(id, toEuros);
          const version = await versionOf(id);
          await change(id, adds(later));
          await change(id, removeFirst);
          await undo(id, version);
          const made = await bookIn(
            'usd',
            adds(gone),
            adds(first),
            fillOthers,
            adds(later),
            removeFirst,
          );
          assert.deepEqual(await valuesOf(id), await valuesOf(made));
          assert.deepEqual(await budgetsOf(id), await budgetsOf(made));
          await isSound();
          await removed(id, made);
        }),
        { numRuns, examples },
      );
    });

    it('is undone with a group whose members were changed since', async () => {
      await load(known);
      const id = await bookIn('usd', adds(grouped));
      await turn(id, toEuros);
      const version = await versionOf(id);
      await change(id, function* (each) {
        const rows = yield* select(transactions, { book_id: id });
        const member = rows.find((row) => row.currency === 'eur' && !row.is_group_parent)!;
        const group = rows.find((row) => row.is_group_parent)!;
        yield* each.update(transactions, member, { amount: 20_000, to_base: 20_000 });
        yield* each.update(transactions, group, { amount: 25_000, to_base: 25_000 });
      });
      await undo(id, version);
      const amounts = (await valuesOf(id)).rows.map((row) => row.slice(1));
      const group = ['usd', 50_000];
      assert.deepEqual(amounts, [
        [10_000, 'usd', 10_000],
        [20_000, 'eur', 40_000],
        [50_000, ...group],
      ]);
      await isSound();
    });

    it('leaves what was made or removed before it to be undone', async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ first, later, rates: all }) => {
          await load(all);
          const kept = [plain(today, 'jpy'), plain(today, 'usd')];
          const id = await bookIn(
            'usd',
            adds(kept),
            adds(first),
            fillOthers,
            adds(later),
            removeFirst,
          );
          const removal = await versionOf(id);
          await turn(id, toEuros);
          if (later.length > 0) await undo(id, removal - 1);
          await undo(id, removal);
          const made = await bookIn('eur', adds(kept), adds(first), fillOthers);
          assert.deepEqual(await valuesOf(id), await valuesOf(made));
          await isSound();
          await removed(id, made);
        }),
        { numRuns, examples },
      );
    });

    it('converts budgets, or keeps their numbers; those without a rate stay', async () => {
      const of = async (choice: 'convert' | 'keep', to: 'eur' | 'sek' = 'eur') => {
        const id = await bookIn('usd', fillOthers);
        const body = { primary_currency: to, budgets: choice };
        const preview = await engine.read(() => previewCurrencyChange(id, body, today));
        const outcome = await turn(id, body);
        assert.deepEqual(outcome, { ...preview, version: preview.version + 1 });
        return { budgets: await budgetsOf(id), preview };
      };
      await load(known);
      const others = [
        ['eur', 24_690, 24_690],
        ['jpy', 37_035, 370],
        ['btc', 49_380, 0],
      ];
      const converted = await of('convert');
      assert.deepEqual(converted.budgets, [['eur', 6172, 6172], ...others]);
      assert.deepEqual(converted.preview.budgets, { changed: 1, left: 0 });
      const missing = { currency: 'btc', first_date: '2026-01-01', last_date: today, count: 4 };
      assert.deepEqual(converted.preview.without_rate, [missing]);
      const records = ['manual_accounts', 'plaid_accounts', 'budgets', 'recurring_items'];
      assert.deepEqual(
        converted.preview.records,
        records.map((record) => ({ record, count: 4 })),
      );
      assert.deepEqual((await of('keep')).budgets, [['eur', 12_345, 12_345], ...others]);
      const unknown = await of('convert', 'sek');
      assert.deepEqual(unknown.budgets[0], ['usd', 12_345, 0]);
      assert.deepEqual(unknown.preview.budgets, { changed: 0, left: 1 });
      assert.equal(unknown.preview.without_rate.length, 4);
    });

    it('refuses the same currency, another version, and values that are too large', async () => {
      await load(new Map([['jpy', new Map([['2026-01-01', '1000']])]]));
      const huge = plain('2026-01-02', 'eur', Number.MAX_SAFE_INTEGER);
      const id = await bookIn('eur', adds([huge]), fillOthers);
      const before = await readState(engine, id);
      const refused = (body: object, message: RegExp) =>
        assert.rejects(turn(id, { ...toEuros, ...body }), (error: { details?: unknown }) => {
          assert.match(JSON.stringify(error.details), message);
          return true;
        });
      await refused({}, /of the book is .{2}eur.{2} already/);
      await refused({ primary_currency: 'jpy', version: 1 }, /has changed since.*"current":/);
      await refused(
        { primary_currency: 'jpy' },
        /value of the transaction \d+ in .{2}jpy.{2} is larger/,
      );
      assert.deepEqual(await readState(engine, id), before);
      assert.equal(await currencyOf(id), 'eur');
    });

    it('keeps the currency of earlier states, and does not pass over another change', async () => {
      await load(new Map([['usd', new Map([['2026-01-01', '2']])]]));
      const id = await bookIn('usd', adds([plain(today, 'usd')]));
      const versions = [await versionOf(id)];
      for (const to of ['eur', 'sek', 'usd'] as const) {
        await turn(id, { ...toEuros, primary_currency: to });
        versions.push(await versionOf(id));
      }
      const currencyAt = async (version: number) =>
        (await exportBook(engine, id, { asOf: String(version) })).book.primaryCurrency;
      assert.deepEqual(await Promise.all(versions.map(currencyAt)), ['usd', 'eur', 'sek', 'usd']);
      await assert.rejects(undo(id, versions[2]!), { kind: 'undoConflict' });
      assert.equal(await currencyOf(id), 'usd');
      await assert.rejects(
        engine.write(() => setPrimaryCurrency(id, 'eur')),
        { kind: 'hasAmounts' },
      );
      const settings = await engine.read(() => select(bookSettings, { book_id: id }));
      assert.equal(settings[0]?.primary_currency, 'usd');
      await isSound();
    });

    it('converts the values of cryptocurrencies at the day of their price', async () => {
      await load(new Map([['usd', new Map([['2026-01-01', '2']])]]));
      const id = await bookIn('usd', function* (each) {
        const own = { provider: 'kraken', status: 'active', created_by_name: 'A' } as const;
        const sealed_credentials = Buffer.from('sealed');
        const account = yield* each.insert(cryptoAccounts, { ...own, sealed_credentials });
        const balance = { account_id: account.id, name: 'B', quantity: '1.000000000000000000' };
        for (const [symbol, day] of [
          ['old', '2025-12-31'],
          ['new', '2026-01-05'],
          ['none', null],
        ] as const)
          yield* each.insert(cryptoBalances, {
            ...{ ...balance, symbol, coingecko_id: null, read_at: each.at },
            to_base: day === null ? null : 1001,
            price_as_of: day === null ? null : `${day}T00:00:00.000Z`,
          });
      });
      const worths = async () => {
        const rows = await engine.read(() => select(cryptoBalances, { book_id: id }));
        return Object.fromEntries(rows.map(({ symbol, to_base }) => [symbol, to_base]));
      };
      await turn(id, toEuros);
      assert.deepEqual(await worths(), { new: 500, none: null, old: null });
      await undo(id, await versionOf(id));
      assert.deepEqual(await worths(), { new: 1001, none: null, old: 1001 });
    });
  });

/** Removes the first two transactions. */
function* removeFirst(change: Change): Steps<void> {
  const rows = yield* select(transactions, { book_id: change.bookId });
  yield* removeTransactions(change, rows.slice(0, 2));
}
