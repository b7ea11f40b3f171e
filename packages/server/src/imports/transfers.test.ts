import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changing } from '../book/change.ts';
import { undo } from '../book/undo.ts';
import { select } from '../db/rows.ts';
import { transactions, transfers } from '../db/tables/tables.ts';
import { makeCertain, suggestTransfers } from '../ledger/transactions/transfers/search.ts';
import { entryOf, ImportBook, onBothEngines } from './testing/import-book.ts';
import { readStatement } from '@coffer/statements/src/read-statement.ts';
import { planAccounts } from './account-plan.ts';
import type { ImportEntry } from './entry.ts';

onBothEngines('transfers of imports', (on) => {
  const entry = (account: string, amount: number, payee: string, more: Partial<ImportEntry> = {}) =>
    entryOf({ account, amount, payee, ...more });
  const cause = (bookId: number) => ({ bookId, actor: 'test', operation: 'test' });
  const pairs = (book: ImportBook) =>
    book.engine.read(() => select(transfers, { book_id: book.id }));

  it('are made of the rows of one file, or of two, and undone with the import', async () => {
    const book = await ImportBook.create(on.engine);
    await book.load([
      entry('Everyday', -500, 'Transfer to Rainy Day'),
      entry('Everyday', -300, 'Rent'),
      entry('Voyager', -20, 'Shop'),
      entry('Rainy Day', 500, 'Deposit', { date: '2024-01-12' }),
      entry('Everyday', -700, 'Transfer to Rainy Day', { date: '2024-01-31' }),
    ]);
    assert.equal((await pairs(book)).length, 1);
    await book.load([entry('Rainy Day', 700, 'Deposit', { date: '2024-02-03' })]);
    const [first, second, ...more] = await pairs(book);
    assert.deepEqual([first!.found_by, second!.found_by, more], ['rows', 'rows', []]);
    await book.engine.write(() =>
      changing(cause(book.id), (change) => undo(change, change.version - 1)),
    );
    assert.deepEqual(await pairs(book), [first]);
  });

  it('are made in each month of a file, also of pending rows', async () => {
    const book = await ImportBook.create(on.engine);
    const months = ['2023-11', '2023-12', '2024-01', '2024-02', '2024-05'];
    const received = months.map((month, at) =>
      entry('Rainy Day', 500 + at, 'Deposit', { date: `${month}-03` }),
    );
    await book.load(received);
    const sent = months.map((month, at) =>
      entry('Everyday', -500 - at, 'Transfer to Rainy Day', {
        date: `${month}-01`,
        isPending: at === 1,
      }),
    );
    await book.load([...sent, entry('Everyday', 0, 'Nothing')]);
    assert.equal((await pairs(book)).length, months.length);
  });

  it('are certain by the number of the other account, whatever the texts say', async () => {
    const book = await ImportBook.create(on.engine);
    const numbers = { Everyday: 'DE89370400440532013000', 'Rainy Day': 'GB33BUKB20201555555555' };
    const accounts = new Map(
      Object.entries(numbers).map(([name, number]) => [name, { bankId: null, number, name: null }]),
    );
    const sent = entry('Everyday', -500, 'Anna', { otherAccount: numbers['Rainy Day'] });
    await book.load(
      [sent, entry('Everyday', -40, 'Ben', { otherAccount: 'GB82WEST12345698765432' })],
      {
        accounts,
      },
    );
    assert.deepEqual(await pairs(book), []);
    const received = { date: '2024-01-15', otherAccount: numbers.Everyday };
    const decoy = entry('Rainy Day', 40, 'Ben', { date: '2024-01-11', otherAccount: 'GB1' });
    await book.load([entry('Rainy Day', 490, 'Anna', received), decoy], { accounts });
    const [made, ...more] = await pairs(book);
    assert.deepEqual([made!.found_by, more], ['account_number', []]);
  });

  const mt940 = (bank: string, number: string, amount: string, other: string) =>
    [
      ...[':20:1', `:25:${bank}/${number}`, ':28C:1/1', ':60F:C240109EUR1000,00'],
      ...[`:61:240110${amount}NTRFNONREF`, `:86:166?00ORDER?20Thanks${other}?32ANNA`],
      ...[':62F:C240110EUR1000,00', '-'],
    ].join('\r\n');
  const table = (own: string, amount: string, other: string) =>
    [
      'Auftragskonto;Buchungstag;Name;Kontonummer;Betrag',
      ...[
        `${own};10.01.24;Anna;${other};${amount}`,
        `${own};10.01.24;Ben;DE02120300000000202051;-7,00`,
      ],
    ].join('\n');
  const qif = (own: string, amount: string, other: string) =>
    `!Account\nN${own}\nTBank\n^\n!Type:Bank\nD01/13/2024\nT${amount}\nPAnna\nL[${other}]\n^\n`;
  const sides: Record<string, readonly [sent: string, received: string]> = {
    MT940: [
      mt940('10020030', '1234567', 'D500,00', '?3050010517?310648489890'),
      mt940('50010517', '0648489890', 'C490,00', '?38DE02100200300001234567'),
    ],
    CSV: [
      table('DE89 3704 0044 0532 0130 00', '-500,00', 'DE12500105170648489890'),
      table('DE12500105170648489890', '490,00', 'DE89370400440532013000'),
    ],
    QIF: [qif('Everyday', '-500.00', 'Rainy Day'), qif('Rainy Day', '490.00', 'Everyday')],
  };
  for (const [name, both] of Object.entries(sides))
    it(`are certain by the other side in two files of ${name}, in both orders`, async () => {
      for (const files of [both, both.toReversed()]) {
        const book = await ImportBook.create(on.engine);
        for (const file of files) {
          assert.deepEqual(await pairs(book), []);
          const statement = readStatement({ open: () => [Buffer.from(file)] });
          const names = { name: null, rest: null, byNumber: [] };
          const plan = planAccounts(statement, names, { file: '', option: '' });
          await book.load([...statement.entries()], plan);
        }
        assert.deepEqual(
          (await pairs(book)).map(({ found_by }) => found_by),
          ['account_number'],
        );
      }
    });

  it('are certain by the numbers in the column of accounts that got other names', async () => {
    const [sent, received] = sides['CSV']!;
    const several = received.replace(
      /\n[^\n]*$/,
      (row) => row + row.replace('DE125', 'DE999') + row,
    );
    for (const [file, found] of [
      [received, 1],
      [received.replaceAll('DE12500105170', '*****00105170'), 0],
      [several, 0],
    ] as const) {
      const book = await ImportBook.create(on.engine);
      const load = async (text: string, name: string) => {
        const statement = readStatement({ open: () => [Buffer.from(text)] });
        const plan = planAccounts(
          statement,
          { name, rest: null, byNumber: [] },
          { file: '', option: '' },
        );
        await book.load([...statement.entries()], plan);
      };
      await load(file, 'Rainy Day');
      await load(sent, 'Everyday');
      assert.equal((await pairs(book)).length, found, file);
    }
  });

  it('that are not certain, and those of rows that were there, are suggested and made on request', async () => {
    const book = await ImportBook.create(on.engine);
    await book.load([entry('Everyday', -500, 'Order'), entry('Rainy Day', 500, 'Deposit')]);
    await book.load([
      entry('Everyday', -90, 'Transfer Rainy', { date: '2024-03-31' }),
      entry('Rainy Day', 90, 'Deposit', { date: '2024-04-01' }),
    ]);
    assert.deepEqual(await pairs(book), []);
    const query = { limit: 100 };
    const suggested = () => book.engine.read(() => suggestTransfers(book.id, query, '2024-04-02'));
    const { suggestions } = await suggested();
    assert.deepEqual(
      suggestions.map(({ sent, is_certain }) => [sent.date, is_certain]),
      [
        ['2024-03-31', false],
        ['2024-01-10', false],
      ],
    );
    const rows = await book.rows();
    const changeRow = rows.find(({ payee }) => payee === 'Order')!;
    await book.engine.write(() =>
      changing(cause(book.id), (change) =>
        change.update(transactions, changeRow, { payee: 'Transfer to Rainy Day' }),
      ),
    );
    const made = await book.engine.write(() =>
      changing(cause(book.id), (change) => makeCertain(change, {})),
    );
    assert.deepEqual(made, { made: 1 });
    assert.deepEqual(
      (await pairs(book)).map(({ sent_id }) => sent_id),
      [changeRow.id],
    );
    assert.equal((await suggested()).suggestions.length, 1);
  });
});
