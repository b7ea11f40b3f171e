import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  cancel,
  down,
  enter,
  runInTerminal,
  withoutPseudoTerminal,
  type Dialogue,
} from '../../testing/pseudo-terminal.ts';
import {
  coffer,
  makeFolder,
  newBook,
  rowsOf,
  runCoffer,
  writeLines,
} from '../../testing/run-coffer.ts';

const folder = makeFolder();
const write = (name: string, ...lines: string[]): string => writeLines(folder, name, ...lines);

/** Imports a file at a terminal, after which the book must have these rows. */
async function imports(whose: string[], argv: string[], dialogue: Dialogue, ...rows: string[]) {
  const { code, shown } = await runInTerminal(['import', ...argv, ...whose], dialogue);
  assert.equal(code, 0, shown);
  const wanted = rows.map((row) => `${row},,,unreviewed,`);
  assert.deepEqual(await rowsOf(whose), wanted);
}

const toCash = ['--account', 'Cash'];
/** A new account, of which it is not known what it had before. */
const isUnknown = [/What did ".*" have at the end of/, enter] as const;

describe('an import at a terminal', { skip: withoutPseudoTerminal }, () => {
  it('asks for the order of dates, and remembers it', async () => {
    const whose = await newBook();
    const may = write('may.csv', 'Date,Payee,Amount', '02/03/2026,Bakery,-3.50');
    await imports(
      whose,
      [may, ...toCash],
      [[/what does "02\/03\/2026" mean\?[^]*d\/m\/y[^]*m\/d\/y/, down + enter], isUnknown],
      '2026-02-03,-3.5000,usd,Bakery,,Cash',
    );
    const june = write('june.csv', 'Date,Payee,Amount', '04/05/2026,Bakery,-3.50');
    const next = await coffer('import', june, ...whose);
    assert.match(next, /\nRemembered: dates m\/d\/y, account "Cash"\. To forget it: coffer import/);
    const [, second] = await rowsOf(whose);
    assert.match(second!, /^2026-04-05,-3\.5000,usd,Bakery,,Cash,/);
  });

  it('asks whether a year that cannot be is meant, and not for other files', async () => {
    const whose = await newBook();
    const old = write('old.csv', 'Date,Payee,Amount', '13/01/0024,Bakery,-3.50');
    const year = /what does "13\/01\/0024" mean\?[^]*13\/01\/0024, as it is/;
    const row = '0024-01-13,-3.5000,usd,Bakery,,Cash';
    await imports(whose, [old, ...toCash], [[year, enter], isUnknown], row);
    const again = await runCoffer(['import', old, ...whose]);
    assert.match(again.stderr, /Give --any-year for 13\/01\/0024, as it is/);
    assert.equal(again.code, 1);
  });

  it('asks for the columns of a table with unknown names', async () => {
    const whose = await newBook();
    const lines = [
      'Who;When;How much;Rest',
      'Bakery;2026-04-30;3,50;9,00',
      'Bar;2026-04-30;4,00;5',
    ];
    const file = write('unknown.csv', ...lines);
    await imports(
      whose,
      [file, ...toCash],
      [
        [/has the date\?/, down + enter],
        // The date is not offered again.
        [/has the amount\?[^]*Who[^]*How much/, down + enter],
        [/has the payee\?[^]*Who/, enter],
        isUnknown,
      ],
      '2026-04-30,3.5000,usd,Bakery,,Cash',
      '2026-04-30,4.0000,usd,Bar,,Cash',
    );
    const again = await coffer('import', file, ...whose, '--dry-run');
    assert.match(again, /Remembered: columns date="When" amount="How much" payee="Who", account/);
  });

  it('asks for the account of rows without one before it imports them', async () => {
    const whose = await newBook();
    const first = write('first.csv', 'Date,Payee,Amount', '2026-05-01,Bakery,-3.50');
    const bakery = '2026-05-01,-3.5000,usd,Bakery,,Wallet';
    await imports(
      whose,
      [first],
      [
        [/1 row of .* has no account\. Import them into[^]*A new account[^]*No account/, enter],
        [/Name of the new account/, `Wallet${enter}`],
        isUnknown,
      ],
      bakery,
    );
    const second = write('second.csv', 'Date,Description,Amount', '2026-05-02,Bar,-4');
    const chosen = [[/Import them into[^]*Wallet[^]*A new account/, enter]] as const;
    await imports(whose, [second], chosen, bakery, '2026-05-02,-4.0000,usd,Bar,,Wallet');
  });

  it('asks what a new account had before, if the file does not state a balance', async () => {
    const whose = await newBook();
    const file = write('opened.csv', 'Date,Payee,Amount', '2026-05-01,Bakery,-3.50');
    const { code, shown } = await runInTerminal(
      ['import', file, ...toCash, ...whose],
      [
        [/What did "Cash" have at the end of 2026-04-30, in usd\?/, `much${enter}`],
        [/This is not an amount/, `${'\u007f'.repeat(4)}100${enter}`],
      ],
    );
    assert.equal(code, 0, shown);
    assert.match(await coffer('account', 'list', ...whose), /Cash .*\b96\.50/);
  });

  it('asks about a row that the book may have, and imports nothing if the user cancels', async () => {
    const table = (name: string, payee: string) =>
      write(name, 'Date,Amount,Payee,external_id', `2026-03-01,-${payee.length},${payee},F1`);
    const [shop, other] = [table('doubt-1.csv', 'Shop'), table('doubt-2.csv', 'Other')];
    const sees = /"Other"[^]*may be transaction \d+: 2026-03-01 -4\.0000 "Shop"[^]*skip it/;
    const importOther = async (types: string) => {
      const whose = await newBook();
      await coffer('import', shop, ...toCash, ...whose);
      const args = ['import', other, ...toCash, ...whose];
      return { ...(await runInTerminal(args, [[sees, types]])), rows: await rowsOf(whose) };
    };
    const cancelled = await importOther(cancel);
    assert.equal(cancelled.code, 1, cancelled.shown);
    assert.match(cancelled.shown, /Cancelled\n.*was not imported/);
    assert.deepEqual(cancelled.rows, ['2026-03-01,-4.0000,usd,Shop,,Cash,,,unreviewed,F1']);
    const skipped = await importOther(enter);
    assert.match(skipped.shown, /: 0 transactions imported/);
    assert.deepEqual(skipped.rows, cancelled.rows);
  });

  it('asks which column has the payee', async () => {
    const whose = await newBook();
    const file = write('payee.csv', 'Date,Amount,Xyz', '2026-05-01,-3.50,Bakery');
    const asked = [[/has the payee\. Which one has it\?[^]*Xyz/, enter], isUnknown] as const;
    await imports(whose, [file, ...toCash], asked, '2026-05-01,-3.5000,usd,Bakery,,Cash');
  });

  it('asks nothing with --yes', async () => {
    const whose = await newBook();
    const file = write('yes.csv', 'Date,Payee,Amount', '2026-05-01,Bakery,-3.50');
    const { code, shown } = await runInTerminal(['import', file, '--yes', ...whose], []);
    assert.equal(code, 1);
    assert.match(shown, /1 row of .* has no account\. Use --account NAME/);
    await imports(whose, [file, ...toCash, '--yes'], [], '2026-05-01,-3.5000,usd,Bakery,,Cash');
  });
});
