import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { select } from '../db/rows.ts';
import { accountNumbers, tags } from '../db/tables/tables.ts';
import type { ImportEntry } from './entry.ts';
import { entryOf, entryWithId, ImportBook, onBothEngines } from './testing/import-book.ts';

onBothEngines('the identity of imported entries', (on) => {
  let book: ImportBook;
  beforeEach(async () => {
    book = await ImportBook.create(on.engine);
  });
  const cafe = { payee: 'Café', amount: -5 };

  it('keeps an equal purchase without an id beside one with an id', async () => {
    const both = [entryOf(), entryWithId('F00001')];
    await book.adds(1, [entryWithId('F00001')], 'csv');
    await book.adds(1, both, 'csv');
    for (const file of [both, both.toReversed()]) await book.adds(0, file, 'csv');
    const ids = (await book.rows()).map((row) => row.external_id);
    assert.deepEqual(ids.toSorted(), ['F00001', null]);
  });

  it('finds entries without ids again that get ids, and gives the ids to them', async () => {
    const texts = [entryOf(), entryOf()];
    const ids = ['F00001', 'F00002'];
    await book.adds(2, texts, 'csv');
    for (const format of ['csv', 'csv', 'ofx', 'ofx'])
      await book.adds(
        0,
        ids.map((id) => entryWithId(id)),
        format,
      );
    assert.deepEqual(
      (await book.rows()).map((row) => row.external_id),
      ids,
    );
    await book.adds(0, texts, 'csv');
    // A third purchase is another one, whatever its format is.
    await book.adds(1, [...texts, entryOf()], 'csv');
  });

  it('keeps and reports entries of one day that share an id, but not payee and amount', async () => {
    const [one, other] = [entryWithId('F00001'), entryWithId('F00001', cafe)];
    await book.adds(1, [one], 'ofx');
    const { imported, doubtful } = await book.load([other], { format: 'ofx' });
    const [row] = await book.rows();
    assert.deepEqual([imported, doubtful.count], [1, 1]);
    const known = { date: one.date, payee: 'Shop', amount: one.amount };
    assert.deepEqual(doubtful.entries, [
      {
        number: 1,
        line: 2,
        date: other.date,
        ...cafe,
        knownId: row!.id,
        isImported: true,
        known,
        why: 'the id is that of a transaction with another payee and amount',
      },
    ]);
    for (const file of [one, other]) await book.adds(0, [file], 'ofx');
  });

  it('skips what is in doubt if the caller says so, and then knows it', async () => {
    await book.adds(1, [entryWithId('F00001')], 'ofx');
    const other = [entryWithId('F00001', cafe)];
    const skipped = await book.load(other, { format: 'ofx', onDoubt: 'skip' });
    const { imported, skippedByChoice, doubtful } = skipped;
    assert.deepEqual([imported, skippedByChoice, doubtful.entries[0]!.isImported], [0, 1, false]);
    const again = await book.load(other, { format: 'ofx' });
    assert.deepEqual([again.skippedDuplicates, again.doubtful.count], [1, 0]);
  });

  it('is decided by date, amount and order between formats, whatever the payees', async () => {
    const month = [
      { date: '2024-01-03', amount: -10, csv: 'CARD SHOP', ofx: 'SHOP LTD', id: 'F00001' },
      { date: '2024-01-03', amount: -10, csv: 'CARD CAFE', ofx: 'CAFE', id: 'F00002' },
      { date: '2024-01-12', amount: -25, csv: 'CARD FOOD', ofx: 'MARKET', id: 'F00003' },
      { date: '2024-01-30', amount: 900, csv: 'PAY', ofx: 'SALARY', id: 'F00004' },
    ];
    const files = {
      csv: month.map(({ date, amount, csv }) => entryOf({ date, amount, payee: csv })),
      ofx: month.map(({ date, amount, ofx, id }) => entryWithId(id, { date, amount, payee: ofx })),
      // Its dates are two days later, where the month allows it.
      camt: month.map(({ date, amount, csv, id }, at) => {
        const shifted = at === 2 ? '2024-01-14' : date;
        return entryWithId(`C${id}`, { date: shifted, amount, payee: csv.toLowerCase() });
      }),
      mt940: month.map(({ date, amount }) => entryOf({ date, amount, payee: '' })),
    };
    const formats = Object.keys(files) as (keyof typeof files)[];
    for (const first of formats)
      for (const second of formats.filter((each) => each !== first)) {
        const own = await ImportBook.create(on.engine);
        await own.adds(4, files[first], first);
        const rest = formats.filter((each) => each !== first && each !== second);
        for (const format of [second, ...rest, first, second, ...rest])
          await own.adds(0, files[format], format);
      }
  });

  it('remembers how each format has an entry: another payee of that format is another entry', async () => {
    const csv = [entryOf({ payee: 'CARD SHOP' })];
    const shop = [entryWithId('F00001')];
    await book.adds(1, csv, 'csv');
    await book.adds(0, shop, 'ofx');
    await book.adds(1, [entryWithId('F00002', { payee: 'Café' })], 'ofx');
    await book.adds(0, shop, 'ofx');
    await book.adds(0, csv, 'qif');
    await book.adds(0, [entryOf({ payee: 'Other' })], 'qif');
    await book.adds(1, [entryOf({ payee: 'Third' })], 'qif');
  });

  it('reports entries of another format of which several dates are possible', async () => {
    const dates = (days: readonly string[], amount = -7) =>
      days.map((day) => entryOf({ date: `2024-01-${day}`, payee: 'Coffee', amount }));
    await book.adds(2, dates(['10', '12']), 'csv');
    const file = [...dates(['11', '13', '14']), ...dates(['01', '31'], 1)];
    const { imported, doubtful } = await book.load(file, { format: 'ofx' });
    assert.deepEqual([imported, doubtful.count], [5, 3]);
  });

  it('is in doubt for equal money of unknown origin, and known for an equal payee', async () => {
    await book.adds(2, [entryOf(), entryOf({ payee: 'Typed' })]);
    const file = [entryOf(), entryOf({ payee: 'TYPED BY BANK' })];
    const verdicts = await book.verdicts(file, 'csv');
    assert.deepEqual(
      verdicts.map(({ verdict, isImported }) => `${verdict} ${isImported}`),
      ['known false', 'doubtful true'],
    );
  });

  it('gives each entry a verdict, which the caller may change', async () => {
    await book.adds(2, [entryOf(), entryOf(cafe)], 'csv');
    const file = [entryOf(), entryOf({ payee: 'New' }), entryOf(cafe)];
    const verdicts = (await book.verdicts(file, 'csv')).map((each) => {
      return { ...each, account: each.account?.name };
    });
    const [first, second] = (await book.rows()).map(({ id }) => id);
    const why = 'same date, amount and payee';
    const known = { verdict: 'known', why, isImported: false, account: 'Bank', currency: 'usd' };
    assert.deepEqual(verdicts, [
      { ...known, number: 1, knownId: first },
      { ...known, number: 2, verdict: 'new', knownId: null, why: null, isImported: true },
      { ...known, number: 3, knownId: second },
    ]);
    const choices = new Map([
      [1, 'keep'],
      [2, 'skip'],
    ] as const);
    const summary = await book.load(file, { format: 'csv', choices });
    const { imported, skippedByChoice, skippedDuplicates } = summary;
    assert.deepEqual([imported, skippedByChoice, skippedDuplicates], [1, 1, 1]);
  });

  it('posts pending transactions instead of doubling them', async () => {
    const balance = async () => (await book.accounts())[0]!.balance;
    const skipped = async (file: readonly ImportEntry[]) =>
      (await book.load(file, { format: 'csv' })).skippedDuplicates;
    const pending = (parts: Partial<ImportEntry>) => entryOf({ isPending: true, ...parts });
    const first = [
      pending({ payee: 'PENDING Shop 123', category: 'Food' }),
      pending({ payee: 'Bistro Roma', amount: -400_000 }),
      pending({ payee: 'Hotel', amount: -1 }),
    ];
    await book.adds(3, first, 'csv');
    assert.ok((await book.rows()).every((row) => row.is_pending));
    assert.deepEqual([await balance(), await skipped(first)], [0, 3]);
    const posted = [
      entryOf({ payee: 'Shop', date: '2024-01-12' }),
      entryOf({ payee: 'BISTRO ROMA', amount: -460_000, date: '2024-01-15' }),
      entryOf({ payee: 'Hotel', amount: -1, date: '2024-01-20' }),
    ];
    const summary = await book.load(posted, { format: 'csv' });
    assert.deepEqual([summary.imported, summary.replaced], [1, 2]);
    const rows = await book.rows();
    assert.deepEqual(
      rows.map((row) => [row.payee, row.date, row.amount, row.to_base, row.is_pending].join(' | ')),
      [
        'Shop | 2024-01-12 | 100000 | 100000 | false',
        'BISTRO ROMA | 2024-01-15 | 460000 | 460000 | false',
        'Hotel | 2024-01-10 | 1 | 1 | true',
        'Hotel | 2024-01-20 | 1 | 1 | false',
      ],
    );
    assert.notEqual(rows[0]!.category_id, null);
    assert.equal(await balance(), -560_001);
    for (const file of [first, posted, first]) assert.equal(await skipped(file), 3);
    // A file that was downloaded earlier, and is imported later.
    await book.adds(1, [entryOf({ payee: 'Late', date: '2024-01-11' })], 'csv');
    await book.adds(0, [pending({ payee: 'Late' })], 'csv');
  });

  it('creates missing tags, and splits an entry into its parts', async () => {
    const part = { amount: -30_000, payee: null, notes: 'n', category: 'Food' };
    const other = { ...part, amount: -70_000, payee: 'Other', category: null };
    const split = entryOf({ tags: ['Trip', 'trip ', 'Work'], parts: [part, other] });
    const { tagsCreated, imported } = await book.load([split, entryOf({ payee: 'Whole' })]);
    assert.deepEqual([tagsCreated, imported], [2, 2]);
    const rows = await book.rows();
    assert.deepEqual(
      rows.map(({ payee, amount, is_split_parent, split_parent_id }) =>
        [payee, amount, is_split_parent, split_parent_id !== null].join(' '),
      ),
      [
        'Shop 100000 true false',
        'Whole 100000 false false',
        'Shop 30000 false true',
        'Other 70000 false true',
      ],
    );
    const made = await on.engine.read(() => select(tags, { book_id: book.id }));
    assert.equal(rows[0]!.tag_ids, JSON.stringify(made.map(({ id }) => id)));
    await book.adds(0, [split]);
    const wrong = book.load([{ ...split, parts: [part, part] }]);
    await assert.rejects(wrong, { name: 'ImportRefusedError' });
  });

  it('finds the rows of several accounts again, listed or not', async () => {
    const book = await ImportBook.create(on.engine);
    const parts = [-30_000, -70_000].map((amount) => {
      return { amount, payee: null, notes: null, category: null };
    });
    const file = ['A', 'B'].flatMap((account) => [
      entryOf({ account, parts }),
      entryOf({ account, amount: -1 }),
    ]);
    await book.adds(4, file);
    await book.adds(0, file);
    await book.adds(
      4,
      file.map((each) => ({ ...each, date: '2024-01-11' })),
    );
  });

  it('distinguishes accounts by bank and whole number, even after they were renamed', async () => {
    const account = 'Checking 7890';
    const file = [entryOf({ account })];
    const load = (bankId: string, number: string, given: string | null = null) => {
      const accounts = new Map([[account, { bankId, number, name: given }]]);
      return book.load(file, { accounts, format: 'ofx' });
    };
    assert.equal((await load('A', '1234567890')).accountsCreated, 1);
    assert.equal((await load('B', '1234567890')).imported, 1);
    assert.equal((await load('A', '9999997890')).imported, 1);
    const names = (await book.accounts()).map((each) => each.name);
    assert.deepEqual(names, [account, 'Checking 1234567890', 'Checking 9999997890']);
    for (const [bank, number] of [
      ['A', '1234567890'],
      ['B', '12345-67890'],
      ['A', '9999997890'],
    ] as const)
      assert.equal((await load(bank, number)).skippedDuplicates, 1);
    const named = await load('C', '1234567890', 'Mine');
    assert.deepEqual([named.accountsCreated, named.imported], [1, 1]);
    assert.equal((await load('C', '1234567890')).skippedDuplicates, 1);
    const stored = await on.engine.read(() => select(accountNumbers, { book_id: book.id }));
    assert.equal(stored.length, 4);
    assert.ok(stored.every((each) => !each.number_hash.includes('7890')));
  });

  it('finds an account by its IBAN or by the numbers in it, and adopts one with the same name', async () => {
    const account = 'Giro 3000';
    await book.adds(1, [entryOf({ account })]);
    const iban = [null, 'DE89 3704 0044 0532 0130 00'] as const;
    for (const [bankId, number] of [iban, ['37040044', '532013000'] as const, iban]) {
      const accounts = new Map([[account, { bankId, number, name: null }]]);
      assert.equal((await book.load([entryOf({ account })], { accounts })).accountsCreated, 0);
    }
  });

  it('ignores the Unicode form and the case of names, and the blanks of payees', async () => {
    const both = ['Café Straße', 'CAFE\u0301 STRASSE'].map((each, at) =>
      entryOf({ account: each, category: each, amount: at + 1 }),
    );
    const { accountsCreated, categoriesCreated } = await book.load(both);
    assert.deepEqual([accountsCreated, categoriesCreated], [1, 1]);
    await book.adds(1, [entryOf({ payee: 'Café' })]);
    await book.adds(0, [entryOf({ payee: 'Cafe\u0301' })]);
    await book.adds(
      2,
      [entryOf({ payee: 'A  B' }), entryWithId('F1', { payee: 'C\u00a0D' })],
      'csv',
    );
    const spaced = [
      entryOf({ payee: 'A\u00a0\tB ' }),
      entryWithId('F1', { payee: 'C  D', amount: 7 }),
    ];
    const [one, other] = await book.verdicts(spaced, 'csv');
    assert.deepEqual([one!.verdict, other!.why?.slice(0, 8)], ['known', 'same id,']);
  });
});
