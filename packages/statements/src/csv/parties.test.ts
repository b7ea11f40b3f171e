import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../core/src/testing/length.ts';
import { readStatement } from '../read-statement.ts';
import { type StatementOptions, parseColumnMap } from '../statement/statement.ts';
import { entriesOf, shownOf } from '../testing/reading.ts';
import { sourceOf } from '../testing/sources.ts';

/** A file whose lines are separated by two slashes with spaces. */
const file = (lines: string): string => `${lines.replaceAll(' // ', '\n')}\n`;

/** Asserts what parts of the entries of a file are. */
function reads(lines: string, names: string, wanted: string, options: StatementOptions = {}): void {
  assert.equal(shownOf(file(lines), names, options).join('; '), wanted, lines);
}

const A = 'DE89370400440532013000';
const B = 'DE75512108001245126199';
const C = 'DE02120300000000202051';
const OTHERS = `2024-01-31;Shop;${A};-5 // 2024-01-31;Bar;${B};-6 // 2024-01-31;Work;${C};7`;

describe('a column of numbers of accounts', () => {
  it('is that of the other party where each is with one payee, and goes to the notes', () => {
    for (const name of [
      'IBAN',
      'Kontonummer',
      'Account number',
      'IBAN / Kontonummer',
      'Konto-Nr.',
      'Konto',
      'Conto',
      'Numero conto',
      'Compte',
      'Cuenta',
      'Numer rachunku',
      'Číslo účtu',
      'Account',
    ])
      reads(
        `Date;Name;${name};Amount // ${OTHERS}`,
        'account payee notes',
        `- | Shop | ${A}; - | Bar | ${B}; - | Work | ${C}`,
      );
  });

  it('is that of the other party where a cell is blank, the payee is one, or there is one row', () => {
    const head = 'Date;Name;IBAN;Amount';
    for (const rows of [
      `2024-01-31;Shop;${A};-5 // 2024-01-31;Bar;${A};-5 // 2024-01-31;Cash;;-5`,
      `2024-01-31;Landlord;${A};-5 // 2024-02-29;Landlord;${A};-5`,
      `2024-01-31;Shop;${A};-5`,
      `2024-01-31;Landlord;${A};-5 // 2024-02-29;;${A};-5 // 2024-03-31;LANDLORD;${A};-5`,
      '2024-01-31;Shop;DE1;-5 // 2024-01-31;Bar;DE2;-6',
    ])
      assert.ok(entriesOf(file(`${head} // ${rows}`)).every(({ account }) => account === null));
  });

  it('is the own one where few values each are with many payees', () => {
    const one = `2024-01-31;Shop;${A};-5 // 2024-01-31;Bar;${A};-6`;
    reads(`Date;Name;IBAN;Amount // ${one}`, 'account notes', `${A} | -; ${A} | -`);
    reads(`Date;IBAN;Amount // 2024-01-31;${A};-5 // 2024-01-31;${A};6`, 'account', `${A}; ${A}`);
    const first = `2024-01-31;${A};Interest;-5 // 2024-02-29;${A};Interest;-6`;
    reads(`Date;IBAN;Text;Amount // ${first}`, 'account', `${A}; ${A}`);
    const [own, second] = ['100200300', '100200301'];
    const two = `2024-01-31;Shop;${own};-5 // 2024-01-31;Bar;${own};-6 // 2024-01-31;Bar;${second};-6 // 2024-01-31;Work;${second};7`;
    const wanted = `${own}; ${own}; ${second}; ${second}`;
    reads(`Date;Description;Account number;Amount // ${two}`, 'account', wanted);
    // Of two banks: no export has both.
    const banks = two.replaceAll(own, A).replaceAll(second, B);
    reads(`Date;Description;Account number;Amount // ${banks}`, 'account', '-; -; -; -');
  });

  it('is the own one where its name says so, or another column has those of the others', () => {
    for (const [names, account] of [
      ['Auftragskonto;IBAN', '12345678'],
      ['Own account;Account number', '12345678'],
      ['IBAN;Counterparty IBAN', '12345678'],
      ['Rekeningnummer;Rekeningnummer tegenpartij', '12345678'],
      ['Konto;Gegenkonto', '12345678'],
      ['Customer account no;Sender/receiver account', '12345678'],
      ['Account;Counterparty', '12345678'],
      ['Rachunek własny;Numer rachunku', '12345678'],
      ['Counterparty account;Bank account', A],
    ] as const)
      reads(
        `Date;Payee;${names};Amount // 2024-01-31;x;12345678;${A};-5`,
        'account notes',
        `${account} | ${account === A ? '12345678' : A}`,
      );
    const bank = 'Umsatzart;Buchungstext;Auftraggeberkonto;IBAN Auftraggeberkonto';
    reads(`Buchungstag;${bank};Betrag // 2024-01-31;Lastschrift;x;12345;${A};-5`, 'account', A);
    const other = 'Date,Type,Description,Value,Balance,Account Name,Account Number';
    reads(`${other} // 2024-01-31,POS,x,-5,95,Smith J,12345678`, 'account', '12345678');
  });

  it('is the own one by the number above the table, which else is the account of the file', () => {
    const head = `Date;Name;IBAN;Amount // ${OTHERS}`;
    for (const above of [
      `Kontonummer:;${C} // Girokonto // `,
      `IBAN: ${C.replaceAll(/(.{4})/g, '$1 ')};x // `,
      `Account number;12345678 // `,
    ]) {
      const statement = readStatement(sourceOf(file(above + head)));
      const [account, ...more] = statement.accounts;
      assert.deepEqual([more, account?.entryCount], [[], 3]);
      assert.equal(account?.id, above.includes(C.slice(4, 8)) ? C : '12345678');
      const names = new Set([...statement.entries()].map((entry) => entry.account));
      assert.deepEqual(names, new Set([account.name]));
    }
    const own = `Konto;12345678 // Date;Name;Kontonummer;Amount // 2024-01-31;x;12 345 678;-5`;
    reads(own, 'account', '12 345 678');
    const without = `Konto;12345678 // Date;Name;Amount // 2024-01-31;x;-5`;
    reads(without, 'account', '-');
  });

  it('of both sides is the own one by the direction of the money', () => {
    for (const names of [
      'From account;To account',
      'Debtor IBAN;Creditor IBAN',
      'Rachunek nadawcy;Rachunek odbiorcy',
      'Source account;Destination account',
    ])
      reads(
        `Date;Text;${names};Amount // 2024-01-31;x;${A};${B};-5 // 2024-01-31;y;${C};${A};7`,
        'account notes',
        `${A} | ${B}; ${A} | ${C}`,
      );
  });

  it('of both sides is the own one that is in all rows, which shows the direction without signs', () => {
    const numbers = ['11112222;99998888', '77776666;11112222', '11112222;55554444'];
    const file = (rows: readonly string[], names: string): string =>
      `Date;${names};Text;Amount // ${rows.map((row) => `2024-01-31;${row};x;5`).join(' // ')}`;
    const account = '11112222';
    reads(
      file(numbers, 'From account;To account'),
      'amount account notes',
      `-5 | ${account} | 99998888; 5 | ${account} | 77776666; -5 | ${account} | 55554444`,
    );
    const names = file(['Me;Shop', 'Work;Me', 'Me;Bar'], 'Payer;Payee');
    reads(names, 'amount payee', '-5 | Shop; 5 | Work; -5 | Bar');
    reads(names, 'amount', '5; 5; 5', { negate: false });
    // Nobody is in all rows, or two are.
    reads(file(['Me;Shop', 'Work;You'], 'Payer;Payee'), 'amount', '5; 5');
    reads(file(['Me;Shop', 'Me;Shop'], 'Payer;Payee'), 'amount', '5; 5');
  });

  it('goes to the notes under a name that is not known', () => {
    const rows = `2024-01-31;x;${A};-5 // 2024-01-31;y;${B};7`;
    reads(`Date;Text;Abono en;Amount // ${rows}`, 'account notes', `- | ${A}; - | ${B}`);
  });

  it('is asked of all rows, not of the first ones', () => {
    const day = '2024-01-31';
    const same = Array.from({ length: 60 }, (_, at) => `${day};Shop ${at};${A};-5`);
    const rows = [...same, `${day};Bar;${B};-6`, `${day};Work;${C};7`].join(' // ');
    const entries = entriesOf(file(`Date;Name;IBAN;Amount // ${rows}`));
    assert.ok(entries.every(({ account }) => account === null));
  });

  it('is never more than one account for rows of one counterparty each', () => {
    const bank = fc.integer({ min: 10_000_000, max: 99_999_999 });
    fc.assert(
      fc.property(fc.uniqueArray(bank, { minLength: 2, maxLength: 20 }), (banks) => {
        const rows = banks.map((each, at) => `2024-01-31;Payee ${at};DE12${each}0123456789;-5`);
        const text = file(`Date;Name;IBAN;Amount // ${rows.join(' // ')}`);
        assert.ok(entriesOf(text).every(({ account }) => account === null));
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('a column of names of accounts', () => {
  it('is the own one, also with blanks, and that of a source of payments', () => {
    reads(
      'Date,Payee,Account,Amount // 2024-01-31,x,Cash,5 // 2024-01-31,y,,6',
      'account',
      'Cash; -',
    );
    const rows = '2024-01-31,x,Checking xx12,5 // 2024-01-31,y,Credit,6';
    reads(`Date,Payee,Source Account,Amount // ${rows}`, 'account', 'Checking xx12; Credit');
  });

  it('is that of the other party where another column has as many numbers', () => {
    const rows = `2024-01-31;Shop;${A};a;-5 // 2024-01-31;Work;${B};b;6`;
    reads(`Date;Account name;Account number;Text;Amount // ${rows}`, 'account', '-; -');
    const own = `2024-01-31;Cash;${A};a;-5 // 2024-01-31;Cash;${B};b;6`;
    reads(`Date;Account name;Account number;Text;Amount // ${own}`, 'account', 'Cash; Cash');
  });

  it('is the own one where the names are kinds of accounts, and none where nearly each row has another', () => {
    const both = '2024-01-31;Checking;11112222;a;-5 // 2024-01-31;Savings;33334444;b;5';
    reads(
      `Date;Account;Account number;Text;Amount // ${both}`,
      'account notes',
      'Checking | 11112222; Savings | 33334444',
    );
    const of = (count: number): string[] =>
      Array.from({ length: count }, (_, at) => `2024-01-31;Name ${'abcdef'[at]};x ${at};-5`);
    const table = (count: number): string =>
      file(`Date;Account name;Text;Amount // ${of(count).join(' // ')}`);
    assert.equal(shownOf(table(6), 'account notes')[0], '- | Name a');
    assert.equal(shownOf(table(5), 'account notes')[0], 'Name a | -');
  });

  it('of products is one only where they are kinds of accounts', () => {
    const head = (name: string): string => `Date,${name},Description,Amount`;
    for (const name of ['Product', 'Item', 'Security', 'Product name'])
      reads(
        `${head(name)} // 2024-01-31,Tea,Order 1,-5 // 2024-01-31,Milk,Order 2,-6`,
        'account notes',
        '- | Tea; - | Milk',
      );
    const kinds = '2024-01-31,Current,x,-5 // 2024-01-31,Savings,y,-6';
    reads(`${head('Product')} // ${kinds}`, 'account', 'Current; Savings');
  });

  it('of cards is the own one, unless another column has the accounts', () => {
    const row = '2024-01-31;x';
    reads(`Date;Payee;Card number;Amount // ${row};1234;-5`, 'account', '1234');
    reads(`Date;Payee;Card number;Account;Amount // ${row};1234;Giro;-5`, 'account', 'Giro');
    reads(
      `Date;Payee;Kartennummer;IBAN;Amount // ${row};1234;${A};-5`,
      'account notes',
      `1234 | ${A}`,
    );
  });

  it('of cards is none where rows have no card', () => {
    const rows = '2024-01-31;x;4321;-5 // 2024-01-31;Work;;9 // 2024-01-31;y;9876;-6';
    reads(`Date;Payee;Card;Amount // ${rows}`, 'account notes', '- | 4321; - | -; - | 9876');
  });

  it('of an application is the own one, whatever it looks like', () => {
    const head = 'Date,Merchant,Category,Account,Original Statement,Notes,Amount,Tags';
    reads(`${head} // 2024-01-31,x,Food,${A},x,n,-5,`, 'account', A);
  });
});

describe('a map', () => {
  const text = `Date;Name;Konto;IBAN;Memo;Amount // 2024-01-31;x;Giro;${A};m;-5`;

  it('switches a column off by an empty name', () => {
    const map = (columns: string): StatementOptions => ({ map: parseColumnMap(columns) });
    reads(text, 'account notes', `Giro | m; ${A}`);
    reads(text, 'account notes', `- | m; Giro; ${A}`, map('account='));
    reads(text, 'account payee notes', '- |  | -', map('account=,payee=,notes='));
    const whole = 'date=1,payee=2,amount=6,account=';
    reads(text, 'account payee', '- | x', map(whole));
    reads(text, 'account', A, map('account=IBAN'));
    const headerless = `2024-01-31;Shop;${A};-5,00 // 2024-01-31;Bar;${A};6,00`;
    reads(headerless, 'account', `${A}; ${A}`);
    reads(headerless, 'account', '-; -', map('account='));
  });

  it('needs a date and an amount', () => {
    for (const key of ['date', 'amount', 'debit', 'credit'])
      assert.throws(() => parseColumnMap(`${key}=`), /has no column/);
  });
});

describe('the payee', () => {
  it('is the payer of money in and the recipient of money out', () => {
    for (const names of [
      'Zahlungspflichtige*r;Zahlungsempfänger*in',
      'Auftraggeber;Empfänger',
      'Payer;Payee',
      'Sender name;Beneficiary name',
      'Ordinante;Beneficiario',
      "Donneur d'ordre;Bénéficiaire",
      'Nadawca;Odbiorca',
      'Maksaja;Saaja',
      'Küldő;Fogadó',
      '支払人;受取人',
    ])
      reads(
        `Date;${names};Amount // 2024-01-31;Me;Shop;-5 // 2024-01-31;Work;Me;7 // 2024-01-31;Me;;-3`,
        'payee',
        'Shop; Work; ',
      );
    const turned = 'Date;Payer;Payee;Amount // 2024-01-31;Me;Shop;5 // 2024-01-31;Work;Me;-7';
    reads(turned, 'payee', 'Shop; Work', { negate: true });
    // Only the other party is filled.
    reads(
      'Date;Payer;Payee;Amount // 2024-01-31;;Shop;5 // 2024-01-31;Work;;-7',
      'payee',
      'Shop; Work',
    );
    reads('Date;From;To;Amount // 2024-01-31;Me;Shop;-5', 'payee notes', 'Shop | -');
    const text =
      'Date;Payer;Payee;Description;Amount // 2024-01-31;Me;;Cash;-5 // 2024-01-31;Me;x;y;-5';
    reads(text, 'payee notes', 'Cash | -; x | y');
  });

  it('is the recipient of money that comes back, where the owner is the payer of all', () => {
    const rows = 'ISSUER;Shop;-5 // 2024-01-31;ISSUER;Bar;-6 // 2024-01-31;ISSUER;Shop;5';
    const pay = '2024-01-31;Work;Me;7 // 2024-01-31;Me;Rent;-8 // 2024-01-31;Me;Gas;-9';
    reads(
      `Date;Payer;Payee;Amount // 2024-01-31;${rows} // ${pay}`,
      'payee',
      'Shop; Bar; Shop; Work; Rent; Gas',
    );
  });

  it('is not the name that all rows have, but the counterparty or the text', () => {
    for (const [head, rows, wanted] of [
      ['Name;Counterparty;Text', 'ME;Shop;a // ME;;b', 'Shop | a; b | -'],
      ['Naam;Naam tegenpartij;Omschrijving', 'ME;;a', 'a | -'],
      ['Account holder;Description;Memo', 'ME;a;m // ME;b;', 'a | m; b | -'],
      ['Kontoinhaber;Buchungstext', 'ME;a // me;b', 'a | -; b | -'],
      ['Nome;Descrizione', 'ME;a // ME;b', 'a | -; b | -'],
      ['Name;Reference', 'ME;a // ME;b', 'a | -; b | -'],
      ['Payee;Counterparty;Text', 'ME;Shop;a // ME;Bar;b', 'Shop | a; Bar | b'],
      ['Payee;Counterparty;Text', 'ME;Shop;a', 'ME | a; Shop'],
      // Names of the other party, which may be the same.
      ['Name;Description', 'Shop;a // Bar;b', 'Shop | a; Bar | b'],
      ['Payee;Description', 'Shop;a // Shop;b', 'Shop | a; Shop | b'],
      ['Name;Description', 'Shop;a', 'Shop | a'],
      ['Name', 'Shop // Shop', 'Shop | -; Shop | -'],
    ] as const) {
      const lines = rows.split(' // ').map((row) => `2024-01-31;${row};-5`);
      reads(`Date;${head};Amount // ${lines.join(' // ')}`, 'payee notes', wanted);
    }
  });

  it('is known by words of both directions, and by their better one', () => {
    reads('Datum;Sender / Empfänger;Buchungstext;Betrag // 31.01.2024;A;KARTE;-5', 'payee', 'A');
    const lhv = 'Date;Sender/receiver name;Description;Debit/Credit (D/C);Amount';
    reads(`${lhv} // 2024-01-31;A;x;D;-5 // 2024-01-31;B;y;C;6`, 'payee notes', 'A | x; B | y');
    reads(
      'Datum;BIC tegenpartij;Omschrijving;Bedrag // 31-01-2024;GKCC;x;-5',
      'payee notes',
      'x | -',
    );
  });

  it('of tables without a header of ING and Mint is the second column', () => {
    const ing =
      '20240131,Shop,NL28 INGB 0123 4567 89,NL11 RABO 0123 4567 89,GT,Af,"5,00",Overschrijving,Long note';
    reads(
      `${ing} // ${ing.replace('Af', 'Bij')}`,
      'amount payee account currency',
      ['-5', '5'].map((sum) => `${sum} | Shop | NL28 INGB 0123 4567 89 | -`).join('; '),
    );
    const mint =
      '1/31/2024,Shop,SHOP 12 LONG ORIGINAL,5.00,debit,Restaurants and Bars,Chequing,Trip,';
    reads(
      mint,
      'date amount payee category account tags notes',
      '2024-01-31 | -5 | Shop | Restaurants and Bars | Chequing | Trip | -',
    );
  });
});

describe('texts that nothing else has', () => {
  it('go to the notes, each once', () => {
    const head = 'Datum;Empfänger;Buchungstext;Verwendungszweck;Mitteilung;Betrag';
    reads(
      `${head} // 31.01.2024;Shop;KARTE;Einkauf bei Shop;;-5 // 31.01.2024;Bar;Shop 2;Shop 2;NOTPROVIDED;-5`,
      'notes',
      'Einkauf bei Shop; KARTE; Shop 2',
    );
  });

  it('are in the mapping', () => {
    const text = `Date;Name;IBAN;Purpose;Amount // ${OTHERS.replaceAll(';-', ';x;-').replace(';7', ';y;7')}`;
    const { mapping } = readStatement(sourceOf(file(text)));
    const columns = mapping?.columns.map(({ key, name, isFallback }) =>
      [key, name, isFallback].join(' '),
    );
    assert.deepEqual(columns, [
      'date Date false',
      'payee Name false',
      'notes IBAN true',
      'notes Purpose false',
      'amount Amount false',
    ]);
  });

  it('include those of columns with unknown names, if they are of several words and differ', () => {
    const rows =
      '2024-01-31;A;Long street 1;Booked now;X1;-5 // 2024-01-31;B;Other road 2;Booked now;X2;-6';
    reads(
      `Date;Payee;Where;State of it;Zone;Amount // ${rows}`,
      'notes',
      'Long street 1; Other road 2',
    );
  });
});
