import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { authenticate } from '../../identity/users/testing/authenticate.ts';
import { as, makeTestApp, type TestApp } from '../../http/testing/test-app.ts';
import type { InjectOptions } from 'fastify';
import { checkDatabase } from '../../maintenance/doctor.ts';
import { RandomBook } from '../../history/undo/testing/random-book.ts';
import { Choices, NothingToChoose } from '../../history/undo/testing/random-writes.ts';
import type { RandomWrite } from '../../history/undo/testing/random-writes.ts';
import { createToken, newToken } from '../../identity/users/actions.ts';
import {
  historyArbitrary,
  mixedKinds,
  writesV1,
  categoriesModel,
  tagsModel,
  transactionsModel,
  type MixedWrite,
  type Sent,
  type Json,
  type ReadingV2,
} from './testing/mapping-model.ts';
import { isLong, runs } from '../../../../core/src/testing/length.ts';

/** More cases, and others each time: `COFFER_V1_CASES=2000`. */
const cases = Number(process.env['COFFER_V1_CASES'] ?? 0);
const seed = cases === 0 ? { seed: 14 } : {};

const everything =
  'start_date=0001-01-01&end_date=9999-12-31&limit=2000&include_pending=true&include_metadata=true' +
  '&include_split_parents=true&include_group_children=true&pending=true';

test('writes of v1 and of v2 leave one book, in which both read the same by the mapping', async (t) => {
  const made = await makeTestApp({ logLevel: 'silent', limit: 1e9 });
  const done = new Map(mixedKinds.map((kind) => [kind, 0]));
  await fc.assert(
    fc.asyncProperty(historyArbitrary, async (history) => {
      const book = await MixedBook.open(made);
      for (const write of history)
        if (await book.perform(write)) done.set(write.kind, done.get(write.kind)! + 1);
      await book.compare();
    }),
    { numRuns: runs(cases || 60), ...seed },
  );
  t.diagnostic(JSON.stringify(Object.fromEntries(done)));
  // Few histories may miss some kinds.
  for (const [kind, count] of isLong ? done : []) assert.ok(count > 0, `${kind} never succeeded`);
  assert.deepEqual(await checkDatabase(made.engine, { repair: false }), []);
});

/** A book that clients of v1 and of v2 change and read over HTTP. */
class MixedBook {
  readonly #made: TestApp;
  readonly #book: RandomBook;
  readonly #headers: Record<string, string>;
  /** Null after a write. */
  #reading: ReadingV2 | null = null;

  private constructor(made: TestApp, book: RandomBook, headers: Record<string, string>) {
    [this.#made, this.#book] = [made, book];
    this.#headers = { ...headers, 'content-type': 'application/json' };
  }

  static async open(made: TestApp): Promise<MixedBook> {
    const book = await RandomBook.open(made.engine);
    const { text: token, hash } = newToken();
    const of = { userId: book.book.userId, bookId: book.id, label: null, expiresAt: null };
    const identity = await book.write(function* () {
      yield* createToken({ ...of, hash });
      return yield* authenticate(hash);
    });
    return new MixedBook(made, book, as({ token, identity: identity! }));
  }

  /** Performs a write; returns whether the service accepted it. What v1 inserts must be in v2 as it was sent. */
  async perform({ kind, seeds }: MixedWrite): Promise<boolean> {
    if (!(kind in writesV1)) return this.#performV2({ kind, seeds } as RandomWrite);
    const reading = await this.#readV2();
    const rows = (table: string) => reading[table as keyof ReadingV2];
    try {
      const sent = writesV1[kind]!(new Choices(rows, seeds));
      const body = await this.#send(...sent);
      this.#reading = body === refused ? reading : null;
      if (body !== null && typeof body === 'object' && 'error' in body) return false;
      if (kind === 'insert') await this.#assertInserted(sent[2] as InsertV1, body as IdsV1 | null);
      return body !== refused;
    } catch (error) {
      if (error instanceof NothingToChoose) return false;
      throw error;
    }
  }

  async #performV2(write: RandomWrite): Promise<boolean> {
    const version = await this.#book.version();
    await this.#book.perform(write, await this.#book.state());
    this.#reading = null;
    return (await this.#book.version()) > version;
  }

  async #assertInserted(sent: InsertV1, made: IdsV1 | null): Promise<void> {
    if (made?.ids?.length !== sent.transactions.length) return;
    const { transactions } = await this.#readV2();
    for (const [at, id] of made.ids.entries()) {
      const row = transactions.find((each) => each['id'] === id)!;
      // A recurring item may show its own texts.
      if (row['recurring_id'] !== null) continue;
      const { amount, asset_id, status, notes, ...same } = sent.transactions[at]!;
      const { date, payee, category_id, external_id } = same;
      const expected = { date, payee, category_id, external_id, manual_account_id: asset_id };
      const names = Object.keys(expected);
      assert.deepEqual(Object.fromEntries(names.map((name) => [name, row[name]])), expected);
      assert.equal(Number(row['amount']), 0 + Number(amount) * (sent.debit_as_negative ? -1 : 1));
      assert.equal(row['status'], status === 'cleared' ? 'reviewed' : 'unreviewed');
      assert.equal(row['notes'], notes === '' ? null : notes);
    }
  }

  /** Reads all by v1, and compares it with what the model makes of all that v2 reads. */
  async compare(): Promise<void> {
    const reading = await this.#readV2();
    for (const isNegated of [false, true]) {
      const expected = transactionsModel(reading, isNegated);
      const query = `debit_as_negative=${isNegated}`;
      const list = await this.#send('GET', `/v1/transactions?${everything}&${query}`);
      assert.deepEqual(list, { transactions: expected, has_more: false });
      for (const row of expected.slice(0, 4)) {
        const path = `/v1/transactions/${String(row['id'])}?${query}`;
        assert.deepEqual(await this.#send('GET', path), row);
      }
    }
    assert.deepEqual(await this.#send('GET', '/v1/tags'), tagsModel(reading));
    const { categories } = (await this.#send('GET', '/v1/categories')) as { categories: Json[] };
    assert.deepEqual(byId(categories), categoriesModel(reading));
  }

  async #readV2(): Promise<ReadingV2> {
    this.#reading ??= await this.#readAgain();
    return this.#reading;
  }

  async #readAgain(): Promise<ReadingV2> {
    const get = (path: string) => this.#send('GET', `/v2/${path}`) as Promise<ReadingV2>;
    const { transactions } = await get(`transactions?${everything.replace('&pending=true', '')}`);
    const { categories } = await get('categories?format=flattened');
    const { tags } = await get('tags');
    const { manual_accounts } = await get('manual_accounts');
    const { plaid_accounts } = await get('plaid_accounts');
    const { recurring_items } = await get('recurring_items?include_suggested=true');
    return { transactions, categories, tags, manual_accounts, plaid_accounts, recurring_items };
  }

  /** Returns the parsed body, or {@link refused}. A read must succeed, and no write may fail for another reason. */
  async #send(...[method, url, body]: Sent): Promise<unknown> {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const options = { method, url, headers: this.#headers, ...payload } as InjectOptions;
    const { statusCode, body: text } = await this.#made.app.inject(options);
    assert.ok(statusCode < 500, `${method} ${url}: ${statusCode} ${text}`);
    if (method === 'GET') assert.equal(statusCode, 200, `${url}: ${text}`);
    if (statusCode >= 400) return refused;
    return text === '' ? null : (JSON.parse(text) as unknown);
  }
}

const refused = Symbol('refused');

interface InsertV1 {
  readonly transactions: readonly Json[];
  readonly debit_as_negative: boolean;
}

interface IdsV1 {
  readonly ids?: readonly number[];
}

/** Records and their children, in the order of their ids. */
function byId(records: readonly Json[]): Json[] {
  return records
    .toSorted((a, b) => (a['id'] as number) - (b['id'] as number))
    .map(({ children, ...record }) =>
      children === undefined ? record : { ...record, children: byId(children as Json[]) },
    );
}
