/*
 * Imports every available file of a real bank or application into a book, again and again: each entry is there once, an
 * undo leaves nothing, and afterwards the file can be imported as for the first time.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  coffer,
  makeBook,
  makeFolder,
  refuses,
  rowsOf,
  runCoffer,
} from '../../packages/cli/src/testing/run-coffer.ts';
import { ofxEntry, ofxText } from '../../packages/statements/src/testing/ofx-text.ts';

const DATA = join(import.meta.dirname, '../../../shared/data');
const skip = existsSync(DATA) ? false : 'missing: the real files';

/** Files that need a flag. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  'nz-creditcard-inverted.csv': ['--negate'],
  'preamble-and-footer.csv': ['--date-format', 'd/m/y'],
  'monefy-thousands.csv': ['--date-format', 'd/m/y'],
  'quicken-bank-splits.qif': ['--date-format', 'm/d/y'],
};
/** Files that are refused, and why. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  'malformed-decimal.ofx': /<TRNAMT>: value "\.": Not an amount/,
  'moneymrkt-v103.ofx': /<TRNAMT>: value "-995\.4190396554627": More than 4 decimals/,
  'cmxl-reference.sta': /column "currency": value "dem": is not a supported currency code/,
};

interface Summary {
  readonly imported: number;
  readonly skipped_duplicates: number;
  readonly doubtful: number;
  readonly replaced: number;
}
interface Expected {
  readonly file: string;
  readonly count: number;
}

const expected =
  skip === false
    ? (JSON.parse(readFileSync(join(DATA, 'expected.json'), 'utf8')) as Expected[])
    : [];
const files = expected.filter(({ file }) => file.startsWith('statements/'));
const folder = makeFolder();

test('all files are tried', { skip }, () => assert.equal(files.length, 82));

for (const { file, count } of files) {
  test(`${file} is in a book once, until an undo`, async () => {
    const name = file.split('/').at(-1)!;
    const whose = await makeBook(folder, `${file.replaceAll('/', '-')}.db`);
    const command = ['import', join(DATA, file), '--json', ...(FLAGS[name] ?? []), ...whose];
    const why = REFUSED[name];
    if (why !== undefined) {
      await refuses(command, 1, why);
      assert.deepEqual(await rowsOf(whose), []);
      return;
    }
    const load = async (): Promise<Summary> => JSON.parse(await coffer(...command)) as Summary;
    const first = await load();
    assert.deepEqual([first.skipped_duplicates, first.doubtful, first.replaced], [0, 0, 0]);
    if (!file.includes('/journal-')) assert.equal(first.imported, count);
    const rows = await rowsOf(whose);
    const again = await load();
    assert.deepEqual([again.imported, again.skipped_duplicates], [0, first.imported]);
    assert.deepEqual(await rowsOf(whose), rows);
    if (count === 0) return;
    await coffer('imports', 'undo', '1', ...whose);
    assert.deepEqual(await rowsOf(whose), []);
    assert.equal((await load()).imported, first.imported);
    assert.equal((await rowsOf(whose)).length, rows.length);
    const { code, stdout } = await runCoffer(['doctor', ...whose.slice(-2)]);
    assert.equal(code, 0, stdout);
  });
}

test('what an OFX file repeats is reported, and a name for several accounts is refused', async () => {
  const whose = await makeBook(folder, 'ofx.db');
  const file = join(folder, 'two.ofx');
  const shop = ofxEntry({ NAME: 'Shop' });
  writeFileSync(file, ofxText([{ entries: [shop, shop] }, { entries: [shop] }]));
  const text = await coffer('import', file, ...whose);
  assert.match(text, /2 transactions imported\..* Left out: 1 repetition of an entry\. Dates: /);
  const accounts = ['00-1111', '00-2222'].map((ACCTID) => ({
    account: { BANKID: '1', ACCTID, ACCTTYPE: 'CHECKING' },
    entries: [shop],
  }));
  writeFileSync(file, ofxText(accounts));
  const argv = ['import', file, '--account', 'Everyday', ...whose];
  await refuses(argv, 1, /several accounts: [^]*\n".*" was not imported\n$/);
});
