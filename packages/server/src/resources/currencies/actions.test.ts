import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc from 'fast-check';
import { maxAmount } from '@coffer/core/money';
import type { Engine, Steps } from '../../db/engine.ts';
import { recordingEngine } from '../../db/testing/recording-engine.ts';
import { type EngineBook, onEnginesAt } from '../../http/testing/engine-book.ts';
import {
  latestToBase,
  listCurrencies,
  listRates,
  nextRerate,
  finishRerate,
  ratesOf,
  storeRates,
  toBase,
} from './actions.ts';
import type { DayRates } from './actions.ts';
import { runs } from '../../../../core/src/testing/length.ts';

/** Rates by currency and date, as `{ usd: { '2026-01-01': '1.1' } }`. */
type Known = Readonly<Record<string, Readonly<Record<string, string>>>>;

const dayRates = (known: Known): DayRates =>
  new Map(Object.entries(known).map(([code, series]) => [code, new Map(Object.entries(series))]));

const codes = ['usd', 'jpy', 'kwd', 'btc'];
const dates = ['2024-12-30', '2024-12-31', '2025-01-02', '2025-06-30', '2026-12-31', '2027-01-01'];
const rate = fc
  .tuple(fc.bigInt(0n, 10n ** 8n), fc.nat(999_999))
  .map(([units, millionths]) => `${units}.${String(millionths).padStart(6, '0')}1`);
const knownArbitrary: fc.Arbitrary<Known> = fc.dictionary(
  fc.constantFrom(...codes),
  fc.dictionary(fc.constantFrom(...dates), rate, { noNullPrototype: true }),
  { noNullPrototype: true },
);

/** The rate as a fraction, by going back day by day. */
function modelRate(known: Known, code: string, date: string): [bigint, bigint] | null {
  if (code === 'eur') return [1n, 1n];
  const found = dates.findLast((each) => each <= date && known[code]?.[each] !== undefined);
  const text = found === undefined ? undefined : known[code]?.[found];
  return text === undefined ? null : [BigInt(text.replace('.', '')), 10n ** 7n];
}

/** Rounds half to even by comparing both neighbours. */
function modelConvert(known: Known, amount: number, from: string, to: string, date: string) {
  if (from === to) return amount;
  const [one, other] = [modelRate(known, from, date), modelRate(known, to, date)];
  if (one === null || other === null) return null;
  const [numerator, denominator] = [BigInt(amount) * other[0] * one[1], other[1] * one[0]];
  const low = numerator / denominator - (numerator < 0n ? 1n : 0n);
  const distance = (value: bigint): bigint => {
    const difference = value * denominator - numerator;
    return difference < 0n ? -difference : difference;
  };
  const [down, up] = [distance(low), distance(low + 1n)];
  const value = down < up || (down === up && low % 2n === 0n) ? low : low + 1n;
  return value > BigInt(maxAmount) || value < -BigInt(maxAmount) ? null : Number(value);
}

function* convert(amount: number, from: string, to: string, date: string): Steps<number | null> {
  return yield* (yield* ratesOf()).convert(amount, from, to, date);
}

const readAt = '2027-02-01T00:00:00.000Z';
const now = () => Date.parse(readAt);

onEnginesAt('exchange rates', now, (open, engineName) => {
  let book: EngineBook;
  let engine: Engine;
  before(async () => {
    book = await open();
    ({ engine } = book);
  });

  /** Runs steps on these rates alone, and undoes everything. */
  const on = <T>(known: Known, work: () => Steps<T>): Promise<T> =>
    engine.write(
      function* () {
        yield* storeRates(dayRates(known), 'file');
        return yield* work();
      },
      { rollback: true },
    );

  it('convert as exact fractions do, rounded once, at the last rate up to the date', async () => {
    const amount = fc.oneof(
      fc.integer({ min: -100, max: 100 }),
      fc.maxSafeInteger(),
      fc.constantFrom(maxAmount, -maxAmount, 0),
    );
    const currency = fc.constantFrom('eur', ...codes);
    const between = ['2024-12-29', '2025-01-01', '2026-01-01', '9999-12-31'];
    const date = fc.constantFrom(...dates, ...between);
    const conversions = fc.array(fc.tuple(amount, currency, currency, date), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(knownArbitrary, conversions, async (known, all) => {
        const found = await on(known, function* () {
          const values: (number | null)[] = [];
          for (const each of all) values.push(yield* convert(...each));
          return values;
        });
        assert.deepEqual(
          found,
          all.map((each) => modelConvert(known, ...each)),
        );
      }),
      { numRuns: runs(engineName === 'SQLite' ? 150 : 40) },
    );
  });

  it('round a half to the even ten-thousandth', async () => {
    const known = { usd: { '2026-01-01': '2' }, jpy: { '2026-01-01': '1' } };
    const values = await on(known, function* () {
      const all: unknown[] = [];
      for (const amount of [1, 2, 3, 5, -1, -3, -5])
        all.push(yield* convert(amount, 'usd', 'jpy', '2026-01-01'));
      return all;
    });
    assert.deepEqual(values, [0, 1, 2, 2, 0, -2, -2]);
  });

  it('give values in the currency of a book, and 0 without a rate', async () => {
    const known = { usd: { '2026-01-01': '1.1' }, chf: { '2026-01-01': '0.9' } };
    const values = await on(known, function* () {
      return [
        yield* toBase(book.id, 5, 'usd', '1970-01-01'),
        yield* toBase(book.id, 10_000, 'eur', '2026-01-02'),
        yield* toBase(book.id, 10_000, 'chf', '2026-01-02'),
        yield* toBase(book.id, 10_000, 'chf', '2025-12-31'),
        yield* toBase(book.id, 10_000, 'btc', '2026-01-02'),
        yield* latestToBase(book.id, 10_000, 'eur', '2026-01-01T00:00:00.000Z'),
      ];
    });
    assert.deepEqual(values, [5, 11_000, 12_222, 0, 0, 11_000]);
  });

  it('need one statement for each currency and year, however many amounts there are', async () => {
    const recording = recordingEngine(engine);
    await recording.read(function* () {
      for (let at = 0; at < 500; at += 1) {
        const date = at % 2 === 0 ? '2025-03-01' : '2026-03-01';
        yield* toBase(book.id, at, at % 3 === 0 ? 'chf' : 'usd', date);
      }
    });
    // The book, and two series of francs and dollars; a franc without a rate needs no dollars.
    assert.ok(recording.recorded.length <= 5, String(recording.recorded.length));
  });

  it('are stored once, replaced when they differ, and listed', async () => {
    // Its values are next after those of the first book.
    await open();
    const store = (known: Known, source: 'file' | 'url' = 'file') =>
      engine.write(() => storeRates(dayRates(known), source));
    const next = () => engine.read(() => nextRerate());
    const first = { sek: { '2026-01-02': '11', '2026-01-05': '11.5' }, nok: {} };
    assert.equal(await next(), null);
    assert.deepEqual(await store(first), { added: 2, changed: 0, known: 0 });
    const before = (await next())!;
    assert.equal(before.since, '2026-01-02');
    assert.deepEqual(await store(first), { added: 0, changed: 0, known: 2 });
    assert.deepEqual(await next(), before, 'known rates note nothing');
    await engine.write(() => finishRerate(before));
    assert.equal((await next())!.bookId, before.bookId! + 1);
    const more = { sek: { '2026-01-05': '11.6', '2026-01-06': '11.7' } };
    assert.deepEqual(await store(more, 'url'), { added: 1, changed: 1, known: 0 });
    const again = (await next())!;
    assert.deepEqual([again.bookId, again.since], [before.bookId, '2026-01-02']);
    await engine.write(() => finishRerate({ ...before, bookId: null }));
    assert.deepEqual(await next(), again, 'an earlier run does not end a later one');
    await engine.write(() => finishRerate({ ...again, bookId: null }));
    assert.equal(await next(), null);
    const days = { dates: 3, first_date: '2026-01-02', last_date: '2026-01-06' };
    const [listed, ...others] = await engine.read(() => listCurrencies());
    assert.deepEqual([listed, others], [{ currency: 'sek', ...days, per_eur: '11.7' }, []]);
    assert.deepEqual(await engine.read(() => listRates('sek', '2026-01-05', 2)), [
      { date: '2026-01-05', per_eur: '11.6', source: 'url', read_at: readAt },
      { date: '2026-01-02', per_eur: '11', source: 'file', read_at: readAt },
    ]);
  });

  it('are stored once by two transactions at the same time', async () => {
    const all = ['nzd', 'dkk', 'cad', 'aud'];
    // Connections of the first round are open in the second.
    for (const date of ['2026-01-02', '2026-01-03', '2026-01-04']) {
      const known = Object.fromEntries(all.map((code) => [code, { [date]: '7.4' }]));
      const store = () => engine.write(() => storeRates(dayRates(known), 'url'));
      const stored = await Promise.all([store(), store(), store(), store()]);
      assert.deepEqual(stored.map(({ added }) => added).sort(), [0, 0, 0, 4]);
    }
  });
});
