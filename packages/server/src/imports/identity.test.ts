import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Engine } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { accountNumbers, manualAccounts, tags, transactions } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import { plainId } from './bank-ids.ts';
import type { EntryVerdict, ImportEntry, ImportPlan, ImportSummary } from './entry.ts';
import { importEntries } from './import.ts';

const entry = (parts: Partial<ImportEntry>): ImportEntry => ({
  ...{ line: 2, date: '2024-01-10', amount: -100_000, currency: null, payee: 'Shop', notes: null },
  ...{ category: null, account: null, externalId: null, ...parts },
});

/** An entry of a file that has ids, as its reader returns it. */
const withId = (id: string, parts: Partial<ImportEntry> = {}): ImportEntry => {
  const bankId = { id, nth: 1, isRepeated: false };
  return entry({ externalId: plainId(bankId), bankId, ...parts });
};

for (const { name, skip, open } of engines) {
  describe(`the identity of imported entries on ${name}`, { skip }, () => {
    let engine: Engine;
    let bookId: number;
    before(async () => {
      engine = await open();
    });
    beforeEach(async () => {
      bookId = (await newBook(engine)).id;
    });
    const load = (
      entries: readonly ImportEntry[],
      plan: Partial<ImportPlan> = {},
    ): Promise<ImportSummary> =>
      importEntries(engine, bookId, {
        entries: () => entries,
        defaultAccount: 'Bank',
        dryRun: false,
        ...plan,
      });
    /** Imports files one after another. Returns how many entries of each were imported. */
    const loadAll = async (
      files: readonly (readonly [format: string, entries: readonly ImportEntry[]])[],
    ): Promise<number[]> => {
      const imported: number[] = [];
      for (const [format, entries] of files)
        imported.push((await load(entries, { format })).imported);
      return imported;
    };
    const rowsOf = () => engine.read(() => select(transactions, { book_id: bookId }));
    const idsOf = async () => (await rowsOf()).map((row) => row.external_id);
    const verdictsOf = async (
      entries: readonly ImportEntry[],
      plan: Partial<ImportPlan> = {},
    ): Promise<EntryVerdict[]> => {
      const all: EntryVerdict[] = [];
      await load(entries, { dryRun: true, onVerdict: (each) => all.push(each), ...plan });
      return all.toSorted((a, b) => a.number - b.number);
    };

    it('includes the currency', async () => {
      const two = [entry({ currency: 'usd' }), entry({ currency: 'eur' })];
      const [usd, eur] = two.map((each) => [each]);
      assert.deepEqual(
        await loadAll([
          ['csv', usd!],
          ['csv', eur!],
          ['csv', two],
        ]),
        [1, 1, 0],
      );
      const ids = two.map((each) => ({ ...each, externalId: 'F00001' }));
      const byId = (at: number) => [{ ...ids[at]!, line: at }];
      assert.deepEqual(await loadAll([['ofx', byId(0)]]), [0]);
      assert.deepEqual((await rowsOf()).length, 2);
    });

    it('keeps an equal purchase without an id beside one with an id', async () => {
      const both = [entry({}), withId('F00001')];
      assert.deepEqual(
        await loadAll([
          ['csv', [withId('F00001')]],
          ['csv', both],
        ]),
        [1, 1],
      );
      assert.deepEqual(
        await loadAll([
          ['csv', both],
          ['csv', both.toReversed()],
        ]),
        [0, 0],
      );
      assert.deepEqual((await idsOf()).toSorted(), ['F00001', null]);
    });

    it('finds entries without ids again that get ids, and gives the ids to them', async () => {
      const ids = ['F00001', 'F00002'];
      const files = [[entry({}), entry({})], ids.map((id) => withId(id))];
      for (const format of ['csv', 'ofx'])
        assert.deepEqual(
          await loadAll([
            ['csv', files[0]!],
            [format, files[1]!],
            [format, files[1]!],
          ]),
          format === 'csv' ? [2, 0, 0] : [0, 0, 0],
        );
      assert.deepEqual(await idsOf(), ids);
      assert.deepEqual(await loadAll([['csv', files[0]!]]), [0]);
      // A third purchase is another one, whatever its format is.
      assert.deepEqual(await loadAll([['csv', [...files[0]!, entry({})]]]), [1]);
    });

    it('finds entries with ids again in files without ids', async () => {
      const two = [withId('F00001'), withId('F00002', { payee: 'Café' })];
      const texts = [entry({}), entry({ payee: 'Café' })];
      assert.deepEqual(
        await loadAll([
          ['ofx', two],
          ['ofx', texts],
          ['csv', texts],
        ]),
        [2, 0, 0],
      );
    });

    it('keeps and reports entries of one day that share an id, but not payee and amount', async () => {
      const [one, other] = [withId('F00001'), withId('F00001', { payee: 'Café', amount: -5 })];
      await load([one], { format: 'ofx' });
      const { imported, doubtful } = await load([other], { format: 'ofx' });
      const [row] = await rowsOf();
      assert.deepEqual([imported, doubtful.count], [1, 1]);
      assert.deepEqual(doubtful.entries, [
        {
          ...{ number: 1, line: 2, date: other.date, amount: -5, payee: 'Café' },
          ...{ knownId: row!.id, isImported: true },
          known: { date: one.date, payee: 'Shop', amount: one.amount },
          why: 'the id is that of a transaction with another payee and amount',
        },
      ]);
      assert.deepEqual(
        await loadAll([
          ['ofx', [one]],
          ['ofx', [other]],
        ]),
        [0, 0],
      );
    });

    it('skips what is in doubt if the caller says so, and then knows it', async () => {
      await load([withId('F00001')], { format: 'ofx' });
      const other = [withId('F00001', { payee: 'Café', amount: -5 })];
      const skipped = await load(other, { format: 'ofx', onDoubt: 'skip' });
      assert.deepEqual(
        [skipped.imported, skipped.skippedByChoice, skipped.doubtful.entries[0]!.isImported],
        [0, 1, false],
      );
      const again = await load(other, { format: 'ofx' });
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
        csv: month.map(({ date, amount, csv }) => entry({ date, amount, payee: csv })),
        ofx: month.map(({ date, amount, ofx, id }) => withId(id, { date, amount, payee: ofx })),
        // Its dates are two days later, where the month allows it.
        camt: month.map(({ date, amount, csv, id }, at) => {
          const shifted = at === 2 ? '2024-01-14' : date;
          return withId(`C${id}`, { date: shifted, amount, payee: csv.toLowerCase() });
        }),
        mt940: month.map(({ date, amount }) => entry({ date, amount, payee: '' })),
      };
      const formats = Object.keys(files) as (keyof typeof files)[];
      for (const first of formats)
        for (const second of formats.filter((each) => each !== first)) {
          bookId = (await newBook(engine)).id;
          const rest = formats.filter((each) => each !== first && each !== second);
          const order = [first, second, ...rest, first, second, ...rest];
          const imported = await loadAll(order.map((format) => [format, files[format]]));
          assert.deepEqual(imported, [4, 0, 0, 0, 0, 0, 0, 0], order.join());
        }
    });

    it('remembers how each format has an entry: another payee of that format is another entry', async () => {
      const csv = [entry({ payee: 'CARD SHOP' })];
      const [shop, cafe] = [[withId('F00001')], [withId('F00002', { payee: 'Café' })]];
      const files = [
        ['csv', csv],
        ['ofx', shop],
        ['ofx', cafe],
        ['ofx', shop],
      ] as const;
      assert.deepEqual(await loadAll(files), [1, 0, 1, 0]);
      const noIds = [
        ['qif', csv],
        ['qif', [entry({ payee: 'Other' })]],
      ] as const;
      assert.deepEqual(await loadAll(noIds), [0, 0]);
      assert.deepEqual(await loadAll([['qif', [entry({ payee: 'Third' })]]]), [1]);
    });

    it('reports entries of another format of which several dates are possible', async () => {
      const dates = (all: readonly string[]) =>
        all.map((day) => entry({ date: `2024-01-${day}`, payee: 'Coffee' }));
      await load(dates(['10', '12']), { format: 'csv' });
      const { imported, doubtful } = await load(
        [
          ...dates(['11', '13', '14']),
          ...dates(['01', '31']).map((each) => ({ ...each, amount: 1 })),
        ],
        { format: 'ofx' },
      );
      assert.deepEqual([imported, doubtful.count], [5, 3]);
    });

    it('is in doubt for equal money of unknown origin, and known for an equal payee', async () => {
      await load([entry({}), entry({ payee: 'Typed' })]);
      const verdicts = await verdictsOf([entry({}), entry({ payee: 'TYPED BY BANK' })], {
        format: 'csv',
      });
      assert.deepEqual(
        verdicts.map(({ verdict, isImported }) => [verdict, isImported]),
        [
          ['known', false],
          ['doubtful', true],
        ],
      );
    });

    it('gives each entry a verdict, which the caller may change', async () => {
      await load([entry({}), entry({ payee: 'Café', amount: -7 })], { format: 'csv' });
      const file = [entry({}), entry({ payee: 'New' }), entry({ payee: 'Café', amount: -7 })];
      const verdicts = (await verdictsOf(file, { format: 'csv' })).map((each) => {
        return { ...each, account: each.account?.name };
      });
      const [shop, cafe] = (await rowsOf()).map(({ id }) => id);
      const why = 'same date, amount and payee';
      const known = { verdict: 'known', why, isImported: false };
      const place = { account: 'Bank', currency: 'usd' };
      assert.deepEqual(verdicts, [
        { number: 1, ...known, ...place, knownId: shop },
        { number: 2, verdict: 'new', ...place, knownId: null, why: null, isImported: true },
        { number: 3, ...known, ...place, knownId: cafe },
      ]);
      const choices = new Map([
        [1, 'keep'],
        [2, 'skip'],
      ] as const);
      const summary = await load(file, { format: 'csv', choices });
      assert.deepEqual(
        [summary.imported, summary.skippedByChoice, summary.skippedDuplicates],
        [1, 1, 1],
      );
    });

    it('posts pending transactions instead of doubling them', async () => {
      const balance = async () =>
        (await engine.read(() => select(manualAccounts, { book_id: bookId })))[0]!.balance;
      const pending = (parts: Partial<ImportEntry>) => entry({ isPending: true, ...parts });
      const first = [
        pending({ payee: 'PENDING Shop 123', category: 'Food' }),
        pending({ payee: 'Bistro Roma', amount: -400_000 }),
        pending({ payee: 'Hotel', amount: -1 }),
      ];
      await load(first, { format: 'csv' });
      assert.deepEqual(
        (await rowsOf()).map((row) => row.is_pending),
        [true, true, true],
      );
      assert.equal(await balance(), 0);
      assert.equal((await load(first, { format: 'csv' })).skippedDuplicates, 3);
      const posted = [
        entry({ payee: 'Shop', date: '2024-01-12' }),
        entry({ payee: 'BISTRO ROMA', amount: -460_000, date: '2024-01-15' }),
        entry({ payee: 'Hotel', amount: -1, date: '2024-01-20' }),
      ];
      const summary = await load(posted, { format: 'csv' });
      assert.deepEqual([summary.imported, summary.replaced], [1, 2]);
      const rows = await rowsOf();
      assert.deepEqual(
        rows.map((row) => [row.payee, row.date, row.amount, row.to_base, row.is_pending]),
        [
          ['Shop', '2024-01-12', 100_000, 100_000, false],
          ['BISTRO ROMA', '2024-01-15', 460_000, 460_000, false],
          ['Hotel', '2024-01-10', 1, 1, true],
          ['Hotel', '2024-01-20', 1, 1, false],
        ],
      );
      assert.notEqual(rows[0]!.category_id, null);
      assert.equal(await balance(), -560_001);
      for (const file of [first, posted, first])
        assert.equal((await load(file, { format: 'csv' })).skippedDuplicates, 3);
      // A file that was downloaded earlier, and is imported later.
      const late = [pending({ payee: 'Late' }), entry({ payee: 'Late', date: '2024-01-11' })];
      assert.deepEqual(
        await loadAll([
          ['csv', [late[1]!]],
          ['csv', [late[0]!]],
        ]),
        [1, 0],
      );
    });

    it('creates missing tags, and splits an entry into its parts', async () => {
      const part = { amount: -30_000, payee: null, notes: 'n', category: 'Food' };
      const split = entry({
        tags: ['Trip', 'trip ', 'Work'],
        parts: [part, { ...part, amount: -70_000, payee: 'Other', category: null }],
      });
      const { tagsCreated, imported } = await load([split, entry({ payee: 'Whole' })]);
      assert.deepEqual([tagsCreated, imported], [2, 2]);
      const rows = await rowsOf();
      assert.deepEqual(
        rows.map((row) => [
          row.payee,
          row.amount,
          row.is_split_parent,
          row.split_parent_id !== null,
        ]),
        [
          ['Shop', 100_000, true, false],
          ['Whole', 100_000, false, false],
          ['Shop', 30_000, false, true],
          ['Other', 70_000, false, true],
        ],
      );
      const made = await engine.read(() => select(tags, { book_id: bookId }));
      assert.equal(rows[0]!.tag_ids, JSON.stringify(made.map(({ id }) => id)));
      assert.equal((await load([split])).skippedDuplicates, 1);
      const wrong = load([{ ...split, parts: [part, part] }]);
      await assert.rejects(wrong, { name: 'ImportRefusedError' });
    });

    it('distinguishes accounts by bank and whole number, even after they were renamed', async () => {
      const name = 'Checking 7890';
      const numbered = (bankId: string | null, number: string, given: string | null = null) => ({
        accounts: new Map([[name, { bankId, number, name: given }]]),
        format: 'ofx',
      });
      const file = [entry({ account: name })];
      const one = numbered('A', '1234567890');
      assert.equal((await load(file, one)).accountsCreated, 1);
      assert.equal((await load(file, numbered('B', '1234567890'))).imported, 1);
      assert.equal((await load(file, numbered('A', '9999997890'))).imported, 1);
      const names = async () =>
        (await engine.read(() => select(manualAccounts, { book_id: bookId }))).map(
          (account) => account.name,
        );
      const made = [name, 'Checking 1234567890', 'Checking 9999997890'];
      assert.deepEqual(await names(), made);
      for (const [bank, number] of [
        ['A', '1234567890'],
        ['B', '12345-67890'],
        ['A', '9999997890'],
      ])
        assert.equal((await load(file, numbered(bank!, number!))).skippedDuplicates, 1);
      const named = await load(file, numbered('C', '1234567890', 'Mine'));
      assert.deepEqual([named.accountsCreated, named.imported], [1, 1]);
      assert.equal((await load(file, numbered('C', '1234567890'))).skippedDuplicates, 1);
      const stored = await engine.read(() => select(accountNumbers, { book_id: bookId }));
      assert.equal(stored.length, 4);
      assert.ok(stored.every((each) => !each.number_hash.includes('7890')));
    });

    it('finds an account by its IBAN or by the numbers in it, and adopts one with the same name', async () => {
      await load([entry({ account: 'Giro 3000' })]);
      const accounts = (bankId: string | null, number: string) => ({
        accounts: new Map([['Giro 3000', { bankId, number, name: null }]]),
      });
      const iban = accounts(null, 'DE89 3704 0044 0532 0130 00');
      const parts = accounts('37040044', '532013000');
      for (const plan of [iban, parts, iban])
        assert.deepEqual((await load([entry({ account: 'Giro 3000' })], plan)).accountsCreated, 0);
    });

    it('ignores the Unicode form and the case of names of accounts and categories', async () => {
      const both = ['Café Straße', 'CAFE\u0301 STRASSE'].map((each, at) =>
        entry({ account: each, category: each, amount: at + 1 }),
      );
      const { accountsCreated, categoriesCreated } = await load(both);
      assert.deepEqual([accountsCreated, categoriesCreated], [1, 1]);
      assert.equal((await load([entry({ payee: 'Café' })])).imported, 1);
      assert.equal((await load([entry({ payee: 'Cafe\u0301' })])).imported, 0);
    });
  });
}
