/*
 * Reads every available file of a real bank or application like a user: with the flags that
 * docs/reference/statement-formats.md shows for it. Compares the result with the known content of the file.
 */
import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it, test } from 'node:test';
import {
  parseColumnMap,
  readStatement,
  StatementError,
  type Entry,
  type Statement,
  type StatementOptions,
  type StatementProblem,
  type StatementSource,
} from '@coffer/statements';
import { openStatementFile } from '../../packages/cli/src/commands/import/statement-file.ts';

const ROOT = join(import.meta.dirname, '../..');
const DATA = join(ROOT, '..', 'shared', 'data');
const FOLDERS = ['csv-bank', 'csv-app', 'ofx1-sgml', 'ofx2-xml', 'qfx'];
const CAMT_FOLDERS = ['camt052', 'camt053', 'camt054'];
const skip = existsSync(DATA) ? false : 'the real files are missing';

type Flags = Omit<StatementOptions, 'map'> & { map?: string };

/** Files that import, with the flags they need. */
const IMPORTS: Record<string, Flags> = {
  'csv-bank/alfabank-cp1251.csv': {},
  'csv-bank/amex-uk-bom-pounds.csv': {},
  'csv-bank/bank-of-ireland-two-columns.csv': {},
  'csv-bank/capitalone.csv': {},
  'csv-bank/cr-only-line-ends.csv': {},
  'csv-bank/easybank-giro-no-header.csv': {},
  'csv-bank/french-card.csv': {},
  'csv-bank/hdfc-padded.txt': {},
  'csv-bank/icici-creditcard-preamble.csv': {},
  'csv-bank/ing-diba-at-soll-haben.csv': {},
  'csv-bank/kbc-creditcard-nl.csv': {},
  'csv-bank/knab-nl-title-row.csv': {},
  'csv-bank/nordea-dk.csv': {},
  'csv-bank/nz-creditcard-inverted.csv': { negate: true },
  'csv-bank/ocbc-preamble-continuation.csv': {},
  'csv-bank/preamble-and-footer.csv': { dateFormat: 'd/m/y' },
  'csv-bank/schwab-checking.csv': {},
  'csv-bank/two-money-columns.csv': {},
  'csv-bank/ubs-ch-fr.csv': {},
  'csv-bank/vtb-preamble-cp1251.csv': {},
  'csv-app/actual-budget.csv': {},
  'csv-app/mint-autosync.csv': {},
  'csv-app/mint-beancount.csv': {},
  'csv-app/mint.csv': {},
  'csv-app/monefy-thousands.csv': { dateFormat: 'd/m/y' },
  'csv-app/monzo-2018.csv': {},
  'csv-app/n26-de.csv': {},
  'csv-app/payoneer.csv': {},
  'csv-app/paypal-bom-header-only.csv': {},
  'csv-app/paytm-wallet.csv': {},
  'csv-app/revolut-2021.csv': {},
  'csv-app/stripe-balance.csv': {},
  'csv-app/venmo-2017.csv': {},
  'csv-app/windows-1250-pl.csv': {},
  'csv-app/wise-usd.csv': {},
  'csv-app/ynab-register.csv': {},
  'ofx1-sgml/bank_medium.ofx': {},
  'ofx1-sgml/bb-two-stmtrs.ofx': {},
  'ofx1-sgml/bradesco.ofx': {},
  'ofx1-sgml/comments-minus-zero.ofx': {},
  'ofx1-sgml/empty-tags.ofx': {},
  'ofx1-sgml/fakeofx-checking.ofx': {},
  'ofx1-sgml/latin1-accents.ofx': {},
  'ofx1-sgml/oneline.ofx': {},
  'ofx2-xml/anz-creditcard-xmlheader-sgmlbody.ofx': {},
  'ofx2-xml/savings-xml.ofx': {},
  'ofx2-xml/spec201-statement.xml': {},
  'ofx2-xml/suncorp.ofx': {},
  'qfx/entities.qfx': {},
  'qfx/sample-checking.qfx': {},
  'qfx/wellsfargo-header-no-newlines.qfx': {},
};

interface Refused {
  flags: Flags;
  why: string;
  problems: StatementProblem[];
}

/** Files that do not import as they are, and exactly why. */
const REFUSED: Record<string, Refused> = {
  'ofx1-sgml/malformed-decimal.ofx': {
    flags: {},
    why: 'one line has a decimal point as its amount',
    problems: [{ line: 42, column: '<TRNAMT>', value: '.', reason: 'Not an amount' }],
  },
  'ofx1-sgml/moneymrkt-v103.ofx': {
    flags: {},
    why: 'amounts have thirteen decimals',
    problems: ['-995.4190396554627', '788.5385340523635', '3070.1328011762807'].map(
      (value, at) => ({
        line: 45 + at * 7,
        column: '<TRNAMT>',
        value,
        reason: 'More than 4 decimals',
      }),
    ),
  },
};

interface Expected {
  file: string;
  count: number;
  sum: string;
  first?: ExpectedEntry;
  last?: ExpectedEntry;
  currency?: string | null;
  ledger_balances?: { account: string; closing: string }[];
  balances?: { account: string; type: string; amount: string; date: string }[];
  opening_plus_sum_equals_closing?: boolean | null;
}

interface ExpectedEntry {
  /** Null: pending, so the file has none. */
  date: string | null;
  amount: string;
  payee: string | null;
}

function fileSource(path: string): StatementSource {
  return {
    *open() {
      const file = openSync(path, 'r');
      try {
        const chunk = new Uint8Array(65_536);
        for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
          yield chunk.subarray(0, length);
        }
      } finally {
        closeSync(file);
      }
    },
  };
}

function read(file: string, { map, ...options }: Flags = {}) {
  const columns = map === undefined ? {} : { map: parseColumnMap(map) };
  return readStatement(fileSource(join(DATA, file)), { ...options, ...columns });
}

/** Reads a packed file as `coffer import` does. */
async function readPacked(file: string, { map, ...options }: Flags = {}): Promise<Statement> {
  const columns = map === undefined ? {} : { map: parseColumnMap(map) };
  const { stderr } = process;
  const context = { stderr, isTerminal: false, now: () => new Date() };
  const unpacked = await openStatementFile(join(DATA, file), context);
  after(() => unpacked.close());
  return readStatement(
    unpacked.source(() => undefined),
    { ...options, ...columns },
  );
}

/** A decimal of at most four places in ten-thousandths. */
function tenThousandths(decimal: string): bigint {
  const [, sign, units, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,4}))?$/.exec(decimal) ?? [];
  return BigInt(`${sign}${units}${fraction.padEnd(4, '0')}`);
}

function assertEntry(entry: Entry | undefined, expected: ExpectedEntry | undefined): void {
  if (expected === undefined) return;
  assert.ok(entry);
  if (expected.date === null) assert.equal(entry.isPending, true);
  else assert.equal(entry.date, expected.date);
  assert.equal(BigInt(entry.amount), tenThousandths(expected.amount));
  const known = (expected.payee ?? '').replace(/\s+/g, ' ').trim();
  // If the payee's cell is empty, the expected payee is in the notes or the category, or is empty.
  if (entry.payee === '') assert.ok(['', entry.notes, entry.category].includes(known), known);
  else assert.ok(known.includes(entry.payee) || entry.payee.includes(known), entry.payee);
}

/** Compares the accounts of an OFX file with the known balances. A CSV file has no accounts. */
function assertAccounts(
  { accounts }: Statement,
  { ledger_balances: balances = [] }: Expected,
): void {
  const wanted = balances
    .filter(({ closing }) => closing !== 'None')
    .map(({ account, closing }) => [account, tenThousandths(closing)]);
  const read = accounts.flatMap(({ id, balances: own }) =>
    own.filter(({ kind }) => kind === 'ledger').map(({ amount }) => [id, BigInt(amount)]),
  );
  assert.deepEqual(read, wanted);
}

const OPENING = ['OPBD', 'PRCD'];

/** Compares a CAMT file with its known entries and balances, and the check of its balances. */
function assertCamt(statement: Statement, known: Expected): void {
  const entries = [...statement.entries()];
  assert.deepEqual([statement.entryCount, entries.length], [known.count, known.count]);
  const total = entries.reduce((so, { amount }) => so + BigInt(amount), 0n);
  assert.equal(total, tenThousandths(known.sum));
  for (const [entry, expected] of [
    [entries[0], known.first] as const,
    [entries.at(-1), known.last] as const,
  ]) {
    assertEntry(entry, expected);
    assert.equal(entry?.payee, expected?.payee);
  }
  const currencies = new Set(entries.map(({ currency }) => currency));
  assert.deepEqual(currencies, new Set([known.currency?.toLowerCase()]));
  const balances = statement.accounts.flatMap(({ id, balances: own }) =>
    own.map(({ kind, amount, date }) => [id, kind === 'opening', BigInt(amount), date]),
  );
  const wanted = (known.balances ?? []).map(({ account, type, amount, date }) => [
    account,
    OPENING.includes(type),
    tenThousandths(amount),
    date,
  ]);
  assert.deepEqual(balances, wanted);
  const isWrong = known.opening_plus_sum_equals_closing === false;
  assert.equal((statement.warnings ?? []).length, isWrong ? 1 : 0);
}

function flagsText({ map, dateFormat, decimal, negate, encoding }: Flags): string {
  const flags = [
    map === undefined ? [] : `--map '${map}'`,
    dateFormat === undefined ? [] : `--date-format ${dateFormat}`,
    decimal === undefined ? [] : `--decimal ${decimal}`,
    negate === true ? '--negate' : [],
    encoding === undefined ? [] : `--encoding ${encoding}`,
  ].flat();
  return flags.length === 0 ? 'none' : `\`${flags.join(' ')}\``;
}

/** The names of files in a text, each in backquotes. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/`([a-z0-9_-]+)`/g)].map(([, name = '']) => name);
}

function shape(file: string): string {
  return file.replace(/^.*\//, '').replace(/\.\w+$/, '');
}

describe('real files', { skip }, () => {
  const expected = skip
    ? []
    : (JSON.parse(readFileSync(join(DATA, 'expected.json'), 'utf8')) as Expected[]);
  const byFile = new Map(expected.map((item) => [item.file.replace('statements/', ''), item]));

  for (const [file, flags] of Object.entries(IMPORTS)) {
    it(`imports ${file} with flags: ${flagsText(flags)}`, () => {
      const statement = read(`statements/${file}`, flags);
      const entries = [...statement.entries()];
      const known = byFile.get(file)!;
      const { count, sum, first, last } = known;
      assert.deepEqual([statement.entryCount, entries.length], [count, count]);
      const total = entries.reduce((so, { amount }) => so + BigInt(amount), 0n);
      assert.equal(total, tenThousandths(sum));
      assertEntry(entries[0], first);
      assertEntry(entries.at(-1), last);
      if (statement.format === 'ofx') assertAccounts(statement, known);
      const currency = known.currency?.toLowerCase() ?? null;
      if (currency !== null && statement.format === 'ofx') {
        assert.deepEqual(new Set(entries.map((entry) => entry.currency)), new Set([currency]));
      }
    });
  }

  for (const [file, { flags, why, problems }] of Object.entries(REFUSED)) {
    it(`refuses ${file}: ${why}`, () => {
      assert.throws(
        () => read(`statements/${file}`, flags),
        (error) => {
          assert.ok(error instanceof StatementError);
          assert.deepEqual(error.problems, problems);
          assert.equal(error.problemCount, problems.length);
          return true;
        },
      );
    });
  }

  for (const folder of skip ? [] : CAMT_FOLDERS) {
    for (const name of readdirSync(join(DATA, 'statements', folder))) {
      it(`imports ${folder}/${name} without flags`, () => {
        const statement = read(`statements/${folder}/${name}`);
        assertCamt(statement, byFile.get(`${folder}/${name}`)!);
      });
    }
  }

  it('are all listed here, once', () => {
    const present = FOLDERS.flatMap((folder) =>
      readdirSync(join(DATA, 'statements', folder)).map((name) => `${folder}/${name}`),
    );
    const named = [...Object.keys(IMPORTS), ...Object.keys(REFUSED)];
    assert.deepEqual(named.toSorted(), present.toSorted());
  });
});

test('the reference shows the flags of every file, and why others are refused', () => {
  const reference = readFileSync(join(ROOT, 'docs/reference/statement-formats.md'), 'utf8');
  const section = reference.slice(reference.indexOf('## Real files'));
  const [withFlags = '', rest = ''] = section.split('These need no flags');
  const [withoutFlags = '', refused = ''] = rest.split('These are refused');
  const rows = [...withFlags.matchAll(/^\| (`--.*`) +\| (`.*`) +\|$/gm)];
  const shown = [
    ...rows.flatMap(([, flags, names = '']) => namesIn(names).map((name) => [name, flags])),
    ...namesIn(withoutFlags).map((name) => [name, 'none']),
    ...[...refused.matchAll(/^- `(.*)`: (.*)$/gm)].map(([, name, why]) => [name, why]),
  ];
  const wanted = [
    ...Object.entries(IMPORTS)
      .filter(([file]) => file.startsWith('csv-'))
      .map(([file, flags]) => [shape(file), flagsText(flags)]),
    ...Object.entries(REFUSED).map(([file, { why }]) => [shape(file), why]),
  ];
  assert.deepEqual(shown.toSorted(), wanted.toSorted());
  const others = Object.entries(IMPORTS).filter(([file]) => !file.startsWith('csv-'));
  assert.ok(others.every(([, flags]) => flagsText(flags) === 'none'));
});

function sums(entries: Iterable<Entry>, keyOf: (entry: Entry) => string) {
  const totals = new Map<string, { count: number; sum: bigint }>();
  for (const entry of entries) {
    const total = totals.get(keyOf(entry)) ?? { count: 0, sum: 0n };
    totals.set(keyOf(entry), { count: total.count + 1, sum: total.sum + BigInt(entry.amount) });
  }
  return Object.fromEntries(totals);
}

function total(count: number, sum: string) {
  return { count, sum: tenThousandths(sum) };
}

describe('large files', { skip }, () => {
  it('streams 1,545,117 payments exactly, in bounded memory', async () => {
    const statement = await readPacked('spend/uk-public-spending.csv.gz');
    assert.equal(statement.entryCount, 1_545_117);
    const byAccount = sums(statement.entries(), ({ account }) => account ?? '');
    assert.deepEqual(byAccount, {
      cabinetoffice: total(36_244, '-7812724959.37'),
      networkrail: total(124_003, '-29331251452.69'),
      northtyneside: total(557_275, '-10778419.82'),
      tfl: total(371_529, '-14233013525.28'),
      leeds: total(456_066, '-2560804524.43'),
    });
    assert.ok(process.resourceUsage().maxRSS < 300_000, `${process.resourceUsage().maxRSS} KiB`);
  });

  it('streams 49,102 bank transactions whose sign is a Czech word in another column', async () => {
    const statement = await readPacked('berka/transactions-1993-1994q1.csv.gz', {
      map: 'direction=type,account=account_id,external_id=trans_id,payee=operation',
    });
    const entries = [...statement.entries()];
    const bySign = sums(entries, ({ amount }) => (amount < 0 ? 'debit' : 'credit'));
    assert.equal(bySign['credit']!.sum, tenThousandths('177366296.30'));
    assert.equal(bySign['debit']!.sum, tenThousandths('-138120153.50'));
    assert.equal(entries.length, 49_102);
    assert.equal(new Set(entries.map(({ account }) => account)).size, 1_229);
    assert.equal(new Set(entries.map(({ externalId }) => externalId)).size, 49_102);
  });
});
