import {
  finishRerate,
  nextRerate,
  storeRates,
  listCurrencies,
  listRates,
  latestToBase,
  ratesOf,
  toBase,
} from './actions.ts';
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { crc32, gzipSync } from 'node:zlib';
import { maxAmount } from '@coffer/core/money';
import fc from 'fast-check';
import { runs } from '../../../../core/src/testing/length.ts';
import { zipBytes } from '../../../../statements/src/testing/zip-bytes.ts';
import type { Engine, Steps } from '../../db/engine.ts';
import { recordingEngine } from '../../db/testing/recording-engine.ts';
import { onEnginesAt, type EngineBook } from '../../http/testing/engine-book.ts';
import { pick } from '../../http/testing/pick.ts';
import { parseRates, RatesFileError, type RatesProblem, type DayRates } from './ecb.ts';
import { normalRate } from './rules.ts';

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
    // Exact halves, which are rare.
    const halves = { usd: { '2024-12-30': '2.0000000' }, jpy: { '2024-12-30': '1.0000000' } };
    const odd = [1, 3, 5, -1, -3, -5].map((each) => [each, 'usd', 'jpy', '2026-01-01'] as const);
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
      {
        numRuns: runs(engineName === 'SQLite' ? 150 : 40),
        examples: [[halves, odd as never]],
      },
    );
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

const history = [
  'Date,USD,JPY,CYP,TRY,',
  '2026-11-20,1.1595,182.10,N/A,49.1234,',
  '2026-11-19,1.1600,N/A,N/A,,',
  '1999-01-04,1.1789,133.73,0.58231,N/A,',
  '',
].join('\n');
const daily = 'Date, USD, JPY, \r\n20 November 2026, 1.1595, 182.10, \r\n';

const bytesOf = (text: string): Buffer => Buffer.from(text);

function ratesIn(file: Uint8Array): Record<string, Record<string, string>> {
  const { rates } = parseRates(file);
  return Object.fromEntries([...rates].map(([code, series]) => [code, Object.fromEntries(series)]));
}

function problemsOf(file: Uint8Array): readonly RatesProblem[] {
  try {
    parseRates(file);
  } catch (error) {
    assert.ok(error instanceof RatesFileError, String(error));
    assert.ok(error.problemCount >= error.problems.length);
    return error.problems;
  }
  assert.fail('The file was accepted');
}

const csv = { name: 'eurofxref.csv', content: bytesOf(history) };

describe('a file of exchange rates', () => {
  it('is read as the European Central Bank publishes it, of one day or of many', () => {
    assert.deepEqual(ratesIn(bytesOf(history)), {
      usd: { '2026-11-20': '1.1595', '2026-11-19': '1.16', '1999-01-04': '1.1789' },
      jpy: { '2026-11-20': '182.1', '1999-01-04': '133.73' },
      try: { '2026-11-20': '49.1234' },
    });
    assert.deepEqual(parseRates(bytesOf(history)).skippedColumns, ['CYP']);
    assert.deepEqual(ratesIn(bytesOf(`\ufeff\n${daily}`)), {
      usd: { '2026-11-20': '1.1595' },
      jpy: { '2026-11-20': '182.1' },
    });
    assert.deepEqual(ratesIn(bytesOf('Date,EUR,USD\n2026-01-01,2,3\n')), {
      usd: { '2026-01-01': '3' },
    });
  });

  it('is found in a ZIP archive, also with a comment, and unpacked from gzip', () => {
    const plain = ratesIn(bytesOf(history));
    const other = { name: 'readme.txt', content: bytesOf('x') };
    for (const packed of [
      gzipSync(history),
      zipBytes([csv]),
      zipBytes([{ ...csv, isStored: true }]),
      zipBytes([other, csv], 'PK\x05\x06 and more'.repeat(3)),
    ])
      assert.deepEqual(ratesIn(packed), plain);
  });

  it('is refused when it is damaged or has not one CSV file', () => {
    const zip = zipBytes([csv]);
    const wrong = Buffer.from(zip);
    wrong.writeUInt32LE(crc32('x'), zip.indexOf('PK\x01\x02') + 16);
    // The size that the directory has, which is read before anything is unpacked.
    const bomb = Buffer.from(zip);
    bomb.writeUInt32LE(65 * 2 ** 20, zip.indexOf('PK\x01\x02') + 24);
    const cases: [Uint8Array, RegExp][] = [
      [zipBytes([]), /./],
      [zipBytes([{ ...csv, name: 'a.txt' }]), /no CSV file.*unzip/],
      [zipBytes([csv, { ...csv, name: 'b.csv' }]), /2 CSV files.*unzip/],
      [zipBytes([{ ...csv, flags: 1 }]), /encrypted.*unzip/],
      [wrong, /ZIP archive is damaged/],
      [bomb, /longer than 64 MiB/],
      [gzipSync(Buffer.alloc(65 * 2 ** 20)), /longer than 64 MiB/],
      [gzipSync(history).subarray(0, 30), /gzip file is damaged/],
      [Buffer.from([0xff, 0xfe, 0x41]), /not UTF-8/],
    ];
    for (const [file, reason] of cases) {
      const [problem] = problemsOf(file);
      assert.match(problem!.reason, reason);
    }
    for (let at = 4; at < zip.length; at += 1) {
      assert.equal(problemsOf(zip.subarray(0, at)).length, 1);
      const changed = Buffer.from(zip);
      changed[at]! ^= 0xff;
      // Some bytes do not matter, such as the time of the file.
      try {
        parseRates(changed);
      } catch (error) {
        assert.ok(error instanceof RatesFileError, String(error));
      }
    }
  });

  it('is refused with the place and the value of each problem', () => {
    const lines = [
      'Date,USD,USD,JPY,',
      '2026-02-30,1.1,1,2,',
      '2026-02-27,0,-1,1e5,',
      '30 Febuary 2026,1,1,1,',
      '2026-02-26,1,1',
      '2026-02-27,1,1,1,1,1',
      '',
      '2026-02-25,1,1,1.12345678901234567',
    ];
    const problems = problemsOf(bytesOf(lines.join('\n')));
    assert.deepEqual(pick(problems, 'line', 'column', 'value', 'reason'), [
      [1, 'USD', null, 'The header has this column twice'],
      [2, 'Date', '2026-02-30', 'Not a date'],
      [3, 'USD', '0', 'Not a rate'],
      [3, 'USD', '-1', 'Not a rate'],
      [3, 'JPY', '1e5', 'Not a rate'],
      [4, 'Date', '30 Febuary 2026', 'Not a date'],
      [5, null, null, 'Has 3 cells, but the header has 4'],
      [6, 'Date', '2026-02-27', 'Is also on line 3'],
      [6, null, null, 'Has 6 cells, but the header has 4'],
      [8, 'JPY', '1.12345678901234567', 'Not a rate'],
    ]);
    for (const text of ['', '\n\n', 'USD,JPY\n', 'Date\n', '<html>', '\0'])
      assert.match(problemsOf(bytesOf(text))[0]!.reason, /^Not a header/, JSON.stringify(text));
    const many = ['Date,USD', ...Array.from({ length: 150 }, () => `x,${'9'.repeat(999)}`)];
    assert.throws(() => parseRates(bytesOf(many.join('\n'))), { problemCount: 300 });
    assert.equal(problemsOf(bytesOf(many.join('\n'))).length, 100);
  });
});

it('a rate is stored without needless zeros, and keeps its value', () => {
  for (const [text, rate] of [
    ['1', '1'],
    ['007.50', '7.5'],
    ['10.00', '10'],
    ['0.000', null],
    ['00.0000000000000010', '0.000000000000001'],
    ['999999999999999.123456789012345', '999999999999999.123456789012345'],
  ] as const)
    assert.equal(normalRate(text), rate, text);
  for (const text of ['', '0', '.5', '5.', '+1', '-1', '1,5', '1 ', 'NaN', '1e3', '0x1', '1.2.3'])
    assert.equal(normalRate(text), null, text);
});
