import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../core/src/testing/length.ts';
import { find, select } from '../../db/rows.ts';
import { balanceAnchors, imports, manualAccounts, transactions } from '../../db/tables/tables.ts';
import { onEngines, type EngineBook } from '../../http/testing/engine-book.ts';
import { entryOf } from '../../imports/testing/import-book.ts';
import { importEntries } from '../../imports/commit.ts';
import { accountWith } from '../../ledger/accounts/account-proof.ts';
import { createAccount, followAnchors } from '../../ledger/accounts/actions.ts';
import { putAnchor } from '../../ledger/accounts/anchors.ts';
import { createTransactions } from '../../ledger/transactions/requests/insert.ts';
import { undoChange } from './actions.ts';

/** Days of rows; statements are of the second and the fourth. */
const days = ['2026-01-01', '2026-01-10', '2026-01-20', '2026-01-25', '2026-02-01'];
const statementDays = [days[1]!, days[3]!];
const units = (amount: number): number => amount * 10_000;

/** What may happen. An import is undone, or redone, by its number. */
const steps = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      rows: fc.array(fc.nat(days.length - 1), { maxLength: 2, minLength: 1 }),
      day: fc.constantFrom(...statementDays),
      balance: fc.constantFrom<number[]>(100, 130, 150),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('turn' as const), at: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('know' as const),
      day: fc.constantFrom(days[0]!, days[2]!, days[4]!),
      balance: fc.constantFrom(7, 70),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const) }) },
);
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

/** An import as it was, and whether it is undone. */
interface ModelImport {
  readonly rows: readonly { readonly date: string; readonly amount: number }[];
  /** The last version that has made, undone or redone it. */
  top: number;
  isUndone: boolean;
}

/** What has said or forgotten what the account had on a day, in order. */
interface Said {
  readonly day: string;
  readonly balance: number | null;
  readonly by: ModelImport | 'user';
}

/** An account with imports that state balances, in a book and as a model. */
class Statements {
  readonly #book: EngineBook;
  readonly #id: number;
  readonly #imports: ModelImport[] = [];
  readonly #said: Said[] = [];
  #amount = 0;

  private constructor(book: EngineBook, id: number) {
    this.#book = book;
    this.#id = id;
  }

  static async open(book: EngineBook): Promise<Statements> {
    const names = { name: 'Bank', type: 'cash' as const, balance: 0 };
    const { id } = await book.change((change) =>
      createAccount(change, names, { createdBy: 'A', currency: 'usd' }),
    );
    return new Statements(book, id);
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'import') await this.#import(step);
    else if (step.kind === 'turn') await this.#turn(step.at);
    else if (step.kind === 'know') await this.#know(step);
    else await this.#forget();
    await this.#check();
  }

  async #import(step: Extract<Step, { kind: 'import' }>): Promise<void> {
    const { day, balance } = step;
    const rows = step.rows.map((nth) => ({ date: days[nth]!, amount: (this.#amount += 1) }));
    const closing = { kind: 'ledger' as const, amount: units(balance), date: day };
    await importEntries(this.#book.engine, this.#book.id, {
      entries: () =>
        rows.map(({ date, amount }) => entryOf({ date, amount: units(amount), account: 'Bank' })),
      defaultAccount: null,
      dryRun: false,
      onDoubt: 'keep',
      balances: new Map([['Bank', { currency: null, balances: [closing] }]]),
    });
    const by = { rows, top: await this.#book.version(), isUndone: false };
    this.#imports.push(by);
    this.#said.push({ day, balance, by });
  }

  /** Undoes an import, or redoes it, after a preview that changes nothing. */
  async #turn(at: number): Promise<void> {
    const turned = this.#imports[at % Math.max(1, this.#imports.length)];
    if (turned === undefined) return;
    const cause = { bookId: this.#book.id, actor: 'test', operation: 'undo' };
    const undoIt = (isRehearsal: boolean) =>
      undoChange(this.#book.engine, cause, turned.top, { mode: 'refuse', isRehearsal });
    const before = await this.#book.state();
    const preview = await undoIt(true);
    assert.deepEqual(await this.#book.state(), before);
    const { version, ...rest } = await undoIt(false);
    assert.deepEqual({ version: null, ...rest }, preview);
    turned.top = version!;
    turned.isUndone = !turned.isUndone;
  }

  async #know({ day, balance }: Extract<Step, { kind: 'know' }>): Promise<void> {
    const id = this.#id;
    await this.#book.change(function* (change) {
      const account = yield* accountWith(change.bookId, 'manual', id);
      yield* putAnchor(change, account, { day, source: 'user', balance: units(balance) });
      yield* followAnchors(change, id);
    });
    this.#said.push({ day, balance, by: 'user' });
  }

  /** Forgets what the first statement says. */
  async #forget(): Promise<void> {
    const id = this.#id;
    const of = { manual_account_id: id, source: 'statement' } as const;
    const removed = await this.#book.change(function* (change) {
      const [first] = yield* select(balanceAnchors, { book_id: change.bookId, ...of });
      if (first !== undefined) yield* change.remove(balanceAnchors, first);
      yield* followAnchors(change, id, { orRows: true });
      return first;
    }, 'deleteBalanceAnchor');
    if (removed !== undefined) this.#said.push({ day: removed.day, balance: null, by: 'user' });
  }

  async #check(): Promise<void> {
    const kept = this.#said.filter(({ by }) => by === 'user' || !by.isUndone);
    const known = new Map(kept.map(({ day, balance }) => [day, balance]));
    const anchors = [...known].filter(([, balance]) => balance !== null).toSorted(byDay);
    const last = anchors.at(-1);
    const rows = this.#imports.filter(({ isUndone }) => !isUndone).flatMap((each) => each.rows);
    const since = rows.filter(({ date }) => last === undefined || date > last[0]);
    const balance = since.reduce((sum, { amount }) => sum + amount, last?.[1] ?? 0);
    const all = await this.#book.rows(balanceAnchors);
    assert.deepEqual(
      all.map((row) => [row.day, row.balance]).toSorted(byDay),
      anchors.map(([day, of]) => [day, units(of!)]),
    );
    const { bookId, id } = { bookId: this.#book.id, id: this.#id };
    const account = await this.#book.read(() => find(manualAccounts, { book_id: bookId, id }));
    assert.equal(account!.balance, units(balance), 'the present balance');
    assert.equal((await this.#book.rows(transactions)).length, rows.length);
    for (const [at, { undone_version: undone }] of (await this.#importRows()).entries())
      assert.equal(undone !== null, this.#imports[at]!.isUndone);
  }

  #importRows() {
    return this.#book.read(() => select(imports, { book_id: this.#book.id }));
  }
}

const byDay = ([one]: readonly unknown[], [other]: readonly unknown[]): number =>
  (one as string) < (other as string) ? -1 : 1;

const turn = (at: number): Step => ({ kind: 'turn', at });
const file = (balance: number): Step => {
  return { kind: 'import', rows: [1], day: statementDays[0]!, balance };
};

onEngines('the balances of statements', (open) => {
  const takes = async (history: readonly Step[]): Promise<void> => {
    const own = await Statements.open(await open());
    for (const step of history) await own.take(step);
  };

  it('are those of the imports that are not undone, in any order of imports and undos', async () => {
    await fc.assert(fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 14 }), takes), {
      numRuns: runs(100),
    });
  });

  for (const balances of [
    [100, 100],
    [100, 130],
    [100, 100, 130],
    [100, 130, 130],
    [130, 100, 150],
  ])
    it(`stay through each order of undos of imports that state ${balances.join(', ')}`, async () => {
      const all = balances.map((_, at) => at);
      for (const order of ordersOf(all))
        await takes([
          ...balances.map((each) => file(each)),
          ...order.map(turn),
          ...order.map(turn),
        ]);
    });

  it('stay forgotten, whichever import has said them', async () => {
    await takes([file(100), turn(0), file(100), { kind: 'forget' }, turn(0), turn(1), turn(1)]);
  });

  it('are those of a later import with another id, if an import is redone', async () => {
    await takes([file(100), turn(0), file(130), turn(0), turn(1), turn(0), turn(1), turn(1)]);
  });

  it('leave a balance that a request has moved since to what the import had moved', async () => {
    const book = await open();
    const own = await Statements.open(book);
    await own.take(file(100));
    const imported = await book.version();
    const account = (await book.rows(manualAccounts))[0]!;
    const sent = { date: days[4]!, amount: 10, manual_account_id: account.id };
    await book.change((change) => createTransactions(change, { transactions: [sent] }));
    const cause = { bookId: book.id, actor: 'test', operation: 'undo' };
    await undoChange(book.engine, cause, imported, { mode: 'refuse' });
    assert.equal((await book.rows(manualAccounts))[0]!.balance, units(-10));
  });
});

function ordersOf(all: readonly number[]): number[][] {
  if (all.length < 2) return [[...all]];
  return all.flatMap((first) =>
    ordersOf(all.filter((each) => each !== first)).map((rest) => [first, ...rest]),
  );
}
