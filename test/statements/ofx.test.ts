/*
 * Imports OFX and QFX files into a book with `coffer import`, once and again.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  coffer,
  makeBook,
  makeFolder,
  runCoffer,
} from '../../packages/cli/src/testing/run-coffer.ts';
import {
  ofxEntry,
  ofxText,
  type OfxAggregate,
  type OfxStatement,
} from '../../packages/statements/src/testing/ofx-text.ts';

const DATA = join(import.meta.dirname, '../../../shared/data');
const REFUSED = ['malformed-decimal.ofx', 'moneymrkt-v103.ofx'];
const skip = existsSync(DATA) ? false : 'the real files are missing';
const folder = makeFolder();

interface Summary {
  imported: number;
  skipped_duplicates: number;
  accounts_created: number;
  left_out: number;
  sum_by_currency: Record<string, string>;
}

let made = 0;
async function newBook(): Promise<string[]> {
  made += 1;
  return makeBook(folder, `${made}.db`);
}

function ofxFile(statements: readonly OfxStatement[]): string {
  made += 1;
  const file = join(folder, `${made}.ofx`);
  writeFileSync(file, ofxText(statements));
  return file;
}

async function load(whose: string[], file: string, ...flags: string[]): Promise<Summary> {
  return JSON.parse(await coffer('import', file, '--json', ...flags, ...whose)) as Summary;
}

interface Row {
  date: string;
  amount: string;
  payee: string;
  account: string;
  externalId: string;
}

async function rowsOf(whose: readonly string[]): Promise<Row[]> {
  const [, ...lines] = (await coffer('export', ...whose)).trimEnd().split('\n');
  return lines.map((line) => {
    const cells = line.split(',');
    const [, date = '', amount = '', , payee = '', , account = ''] = cells;
    return { date, amount, payee, account, externalId: cells.at(-1)! };
  });
}

const shop = (tags: OfxAggregate = {}): OfxAggregate => ofxEntry({ NAME: 'Shop', ...tags });
const accountOf = (ACCTID: string): OfxAggregate => ({ BANKID: '1', ACCTID, ACCTTYPE: 'CHECKING' });

describe('real OFX and QFX files', { skip }, () => {
  it('are imported completely, and add nothing the second time', async () => {
    const whose = await newBook();
    const expected = skip
      ? []
      : (JSON.parse(readFileSync(join(DATA, 'expected.json'), 'utf8')) as {
          file: string;
          count: number;
        }[]);
    let files = 0;
    for (const kind of ['ofx1-sgml', 'ofx2-xml', 'qfx']) {
      for (const name of readdirSync(join(DATA, 'statements', kind))) {
        if (REFUSED.includes(name)) continue;
        const file = `statements/${kind}/${name}`;
        const { count } = expected.find((known) => known.file === file)!;
        const flags = ['--account', `${kind} ${name}`.slice(0, 45)];
        const first = await load(whose, join(DATA, file), ...flags);
        assert.deepEqual([first.imported, first.left_out], [count, 0], name);
        const second = await load(whose, join(DATA, file), ...flags);
        assert.deepEqual([second.imported, second.skipped_duplicates], [0, count], name);
        files += 1;
      }
    }
    assert.equal(files, 15);
  });
});

describe("a bank's ids, in a real import", () => {
  it('that are repeated lose no entry and double no entry, in files that overlap in any order', async () => {
    const january = [shop({ DTPOSTED: '20240131' }), shop({ DTPOSTED: '20240131' })];
    const february = shop({ DTPOSTED: '20240229', TRNAMT: '-6.00' });
    const other = shop({ FITID: 'unique-1', DTPOSTED: '20240302' });
    const files = [
      ofxFile([{ entries: january }]),
      ofxFile([{ entries: [other, february, ...january] }]),
      ofxFile([{ entries: [...january, february, other] }]),
    ];
    const whose = await newBook();
    const imported: number[] = [];
    for (const file of [...files, ...files]) imported.push((await load(whose, file)).imported);
    assert.deepEqual(imported, [2, 2, 0, 0, 0, 0]);
    const amounts = (await rowsOf(whose)).map(({ date, amount }) => `${date} ${amount}`);
    assert.deepEqual(amounts.toSorted(), [
      '2024-01-31 -5.0000',
      '2024-01-31 -5.0000',
      '2024-02-29 -6.0000',
      '2024-03-02 -5.0000',
    ]);
  });

  it('that begin from 1 in each file are not matched with those of another file', async () => {
    const month = (name: string): string =>
      ofxFile([
        {
          entries: ['1', '2'].map((FITID) => shop({ FITID, NAME: name, DTPOSTED: '20240131' })),
        },
      ]);
    const [january, february] = [month('January'), month('February')];
    const whose = await newBook();
    const imported: number[] = [];
    for (const file of [january, february, january, february]) {
      imported.push((await load(whose, file)).imported);
    }
    assert.deepEqual(imported, [2, 2, 0, 0]);
  });

  it('identify a transaction whose text the bank has changed, and may be as long as OFX allows', async () => {
    const FITID = 'x'.repeat(255);
    const whose = await newBook();
    assert.equal((await load(whose, ofxFile([{ entries: [shop({ FITID })] }]))).imported, 1);
    const changed = shop({ FITID, NAME: 'SHOP LTD', MEMO: 'settled' });
    const again = await load(whose, ofxFile([{ entries: [changed] }]));
    assert.deepEqual([again.imported, again.skipped_duplicates], [0, 1]);
  });

  it('in two statements of one account in one file are one entry, and the other is reported as left out', async () => {
    const file = ofxFile([{ entries: [shop(), shop()] }, { entries: [shop()] }]);
    const whose = await newBook();
    const text = await coffer('import', file, ...whose);
    assert.match(text, /2 transactions imported\..* Left out: 1 repetition of an entry\. Dates: /);
    assert.deepEqual((await rowsOf(whose)).map(({ externalId }) => externalId).toSorted(), [
      'ABC12345',
      'ABC12345#2',
    ]);
    assert.equal((await load(whose, file)).imported, 0);
  });
});

describe('accounts of an OFX file', () => {
  const several = (): string =>
    ofxFile([
      { account: accountOf('00-1111'), entries: [shop()] },
      { account: accountOf('00-2222'), entries: [shop()] },
      { account: accountOf('00-3333'), entries: [] },
    ]);
  const accounts = async (file: string, ...flags: string[]): Promise<string[]> => {
    const whose = await newBook();
    await load(whose, file, ...flags);
    return (await rowsOf(whose)).map(({ account }) => account);
  };
  const one = ofxFile([
    { account: accountOf('00-1111'), entries: [shop()] },
    { account: accountOf('00-3333'), entries: [] },
  ]);

  it('have their own names, or the given one', async () => {
    assert.deepEqual(await accounts(one), ['Checking 1111']);
    assert.deepEqual(await accounts(one, '--account', 'Everyday'), ['Everyday']);
    assert.deepEqual(await accounts(several()), ['Checking 1111', 'Checking 2222']);
  });

  it('are named by their numbers or the ends of these, and the remaining one by a bare name', async () => {
    const byEnd = ['--account', '1111=A', '--account', '00 2222=B=b'];
    assert.deepEqual(await accounts(several(), ...byEnd), ['A', 'B=b']);
    const rest = ['--account', 'Rest', '--account', '1111=A'];
    assert.deepEqual(await accounts(several(), ...rest), ['A', 'Rest']);
  });

  it('are refused if their names are ambiguous, and the error lists them', async () => {
    const whose = await newBook();
    const refusals: [file: string, flags: string[], message: RegExp][] = [
      [
        several(),
        ['Everyday'],
        /several accounts: "Checking 1111" and "Checking 2222"\. Name each/,
      ],
      [several(), ['1111=A'], /gives no name for "Checking 2222" of/],
      [one, ['1111=A', '001111=B'], /gives "A" and "B" to the same account "Checking 1111"/],
    ];
    for (const [file, names, message] of refusals) {
      const flags = names.flatMap((name) => ['--account', name]);
      const { code, stdout, stderr } = await runCoffer(['import', file, ...flags, ...whose]);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, message);
      assert.match(stderr, /\n".*" was not imported\n$/);
    }
    assert.deepEqual(await rowsOf(whose), []);
  });

  it('cannot be given by two bare names, or by fewer than four characters', async () => {
    for (const [names, message] of [
      [['A', 'B'], /only one name without a number, not "A" and "B"/],
      [['111=A'], /"111=A" needs at least the last 4 characters of the number/],
      [['1111='], /"1111=" is not a valid name/],
    ] as const) {
      const flags = names.flatMap((name) => ['--account', name]);
      const { code, stderr } = await runCoffer(['import', one, ...flags, ...(await newBook())]);
      assert.equal(code, 2);
      assert.match(stderr, message);
    }
  });
});

test('an OFX file is detected by its content, packed and under any name', async () => {
  const file = join(folder, 'statement.csv');
  writeFileSync(file, gzipSync(ofxText([{ currency: 'EUR', entries: [shop()] }], 'xml')));
  const { imported, sum_by_currency } = await load(await newBook(), file);
  assert.deepEqual([imported, sum_by_currency], [1, { eur: '-5.0000' }]);
});

test('problems of an OFX file are reported with line, tag and value, and nothing is imported', async () => {
  const whose = await newBook();
  const wrong = [shop(), shop({ TRNAMT: 'five' }), shop({ DTPOSTED: '20240230' })];
  const file = ofxFile([{ entries: wrong }]);
  const { code, stderr } = await runCoffer(['import', file, ...whose]);
  assert.equal(code, 1);
  const [amount, date, nothing] = stderr.split('\n');
  assert.ok(amount!.endsWith('.ofx:26: <TRNAMT>: value "five": Not an amount'), stderr);
  assert.ok(date!.endsWith('.ofx:32: <DTPOSTED>: value "20240230": Not a date'), stderr);
  assert.match(nothing!, / was not imported$/);
  assert.deepEqual(await rowsOf(whose), []);
});
