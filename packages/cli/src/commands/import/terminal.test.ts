import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  cancel,
  down,
  enter,
  runInTerminal,
  withoutPseudoTerminal,
} from '../../testing/pseudo-terminal.ts';
import { coffer, makeBook, makeFolder } from '../../testing/run-coffer.ts';

const folder = makeFolder();
let books = 0;

function newBook(): Promise<string[]> {
  books += 1;
  return makeBook(folder, `terminal-${books}.db`);
}

function write(name: string, ...lines: string[]): string {
  const file = join(folder, name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** Returns date, amount, payee and account of each row. */
async function rowsOf(whose: readonly string[]): Promise<string[]> {
  const [, ...lines] = (await coffer('export', ...whose)).trimEnd().split('\n');
  return lines.map((line) => {
    const [, date, amount, , payee, , account] = line.split(',');
    return [date, amount, payee, account].join(' ');
  });
}

const toCash = ['--account', 'Cash'];

describe('an import at a terminal', { skip: withoutPseudoTerminal }, () => {
  it('asks for the order of dates, and remembers it', async () => {
    const whose = await newBook();
    const may = write('may.csv', 'Date,Payee,Amount', '02/03/2026,Bakery,-3.50');
    const { code, shown } = await runInTerminal(
      ['import', may, ...toCash, ...whose],
      [[/what does "02\/03\/2026" mean\?[^]*d\/m\/y[^]*m\/d\/y/, down + enter]],
    );
    assert.equal(code, 0, shown);
    assert.deepEqual(await rowsOf(whose), ['2026-02-03 -3.5000 Bakery Cash']);
    const june = write('june.csv', 'Date,Payee,Amount', '04/05/2026,Bakery,-3.50');
    const next = await coffer('import', june, ...whose);
    assert.match(next, /\nRemembered: dates m\/d\/y, account "Cash"\. To forget it: coffer import/);
    assert.deepEqual(await rowsOf(whose), [
      '2026-02-03 -3.5000 Bakery Cash',
      '2026-04-05 -3.5000 Bakery Cash',
    ]);
  });

  it('asks for the columns of a table with unknown names', async () => {
    const whose = await newBook();
    const lines = [
      'Who;When;How much;Rest',
      'Bakery;2026-04-30;3,50;9,00',
      'Bar;2026-04-30;4,00;5',
    ];
    const file = write('unknown.csv', ...lines);
    const { code, shown } = await runInTerminal(
      ['import', file, ...toCash, ...whose],
      [
        [/has the date\?/, down + enter],
        // The date is not offered again.
        [/has the amount\?[^]*Who[^]*How much/, down + enter],
        [/has the payee\?[^]*Who/, enter],
      ],
    );
    assert.equal(code, 0, shown);
    assert.deepEqual(await rowsOf(whose), [
      '2026-04-30 3.5000 Bakery Cash',
      '2026-04-30 4.0000 Bar Cash',
    ]);
    const again = await coffer('import', file, ...whose, '--dry-run');
    assert.match(again, /Remembered: columns date="When" amount="How much" payee="Who", account/);
  });

  it('asks for the account of rows without one before it imports them', async () => {
    const whose = await newBook();
    const first = write('first.csv', 'Date,Payee,Amount', '2026-05-01,Bakery,-3.50');
    const made = await runInTerminal(
      ['import', first, ...whose],
      [
        [/1 row of .* has no account\. Import them into[^]*A new account[^]*No account/, enter],
        [/Name of the new account/, `Wallet${enter}`],
      ],
    );
    assert.equal(made.code, 0, made.shown);
    const second = write('second.csv', 'Date,Description,Amount', '2026-05-02,Bar,-4');
    const chosen = await runInTerminal(
      ['import', second, ...whose],
      [[/Import them into[^]*Wallet[^]*A new account/, enter]],
    );
    assert.equal(chosen.code, 0, chosen.shown);
    assert.deepEqual(await rowsOf(whose), [
      '2026-05-01 -3.5000 Bakery Wallet',
      '2026-05-02 -4.0000 Bar Wallet',
    ]);
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
    assert.deepEqual(cancelled.rows, ['2026-03-01 -4.0000 Shop Cash']);
    const skipped = await importOther(enter);
    assert.match(skipped.shown, /: 0 transactions imported/);
    assert.deepEqual(skipped.rows, cancelled.rows);
  });

  it('asks which column has the payee', async () => {
    const whose = await newBook();
    const file = write('payee.csv', 'Date,Amount,Xyz', '2026-05-01,-3.50,Bakery');
    const { code, shown } = await runInTerminal(
      ['import', file, ...toCash, ...whose],
      [[/has the payee\. Which one has it\?[^]*Xyz/, enter]],
    );
    assert.equal(code, 0, shown);
    assert.deepEqual(await rowsOf(whose), ['2026-05-01 -3.5000 Bakery Cash']);
  });
});
