import fc from 'fast-check';
import { changing } from '../../packages/server/src/changes/changing.ts';
import {
  addAccounts,
  changeArbitrary,
  performWrites,
} from '../../packages/server/src/changes/testing/random-changes.ts';
import { undo, UndoConflictError } from '../../packages/server/src/changes/undo.ts';
import type { Change } from '../../packages/server/src/changes/change.ts';
import type { Steps } from '../../packages/server/src/db/engine.ts';
import { isDatabaseError } from '../../packages/server/src/db/errors.ts';
import { find, select } from '../../packages/server/src/db/rows.ts';
import { books, categories, rules, transactions } from '../../packages/server/src/db/tables.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import { ask } from '../../test/service/ask.ts';
import type { Owner } from '../../test/service/owners.ts';
import { integerFrom, type Random } from '../../test/service/random.ts';
import type { KilledNodes } from './killed-nodes.ts';

/** How far back an undo goes. */
const mostVersionsBack = 20;
const httpShare = 0.4;
const undoShare = 0.15;

/** A request that changes something, if it is accepted. */
type Asked = readonly [method: string, path: string, body?: unknown];

/**
 * Changes a book at random: by requests to the nodes, by changes of any table in this process, which is one more node,
 * and by undoing earlier changes.
 */
export class RandomWriter {
  readonly #store: Engine;
  readonly #nodes: KilledNodes;
  readonly #owner: Owner;
  readonly #random: Random;
  #names = 0;

  constructor(store: Engine, nodes: KilledNodes, owner: Owner, random: Random) {
    this.#store = store;
    this.#nodes = nodes;
    this.#owner = owner;
    this.#random = random;
  }

  async begin(): Promise<void> {
    await this.#change(addAccounts);
  }

  async version(): Promise<number> {
    return (await this.#store.read(() => find(books, { id: this.#owner.bookId })))!.version;
  }

  /** Writes until the book has a version. */
  async writeUntil(version: number): Promise<void> {
    while ((await this.version()) < version) {
      const fate = this.#random();
      if (fate < httpShare) await this.#request();
      else if (fate < httpShare + undoShare) await this.#undo();
      else await this.#write();
    }
  }

  async #write(): Promise<void> {
    const [writes] = fc.sample(changeArbitrary, { numRuns: 1, seed: this.#integer(1, 2 ** 30) });
    await this.#change((change) => performWrites(change, writes!));
  }

  async #undo(): Promise<void> {
    const last = await this.version();
    const version = this.#integer(Math.max(2, last - mostVersionsBack), last);
    await this.#change((change) => undo(change, version), version).catch((error: unknown) => {
      if (!(error instanceof UndoConflictError)) throw error;
    });
  }

  /** A change that meets a lock of another process is left out. */
  async #change(work: (change: Change) => Steps<unknown>, undoes?: number): Promise<void> {
    const cause = { bookId: this.#owner.bookId, actor: 'command', operation: 'prove' };
    const whole = undoes === undefined ? cause : { ...cause, undoes };
    await this.#store
      .write(() => changing(whole, work))
      .catch((error: unknown) => {
        if (!isDatabaseError(error, 'busy')) throw error;
      });
  }

  /** A request to a node that is dead fails, and one about records of another kind is refused. */
  async #request(): Promise<void> {
    const [method, path, body] = await this.#pick();
    const headers = { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers };
    const { token } = this.#owner;
    await ask(this.#nodes.url() + path, { method, token, ...sent }).catch(() => undefined);
  }

  async #pick(): Promise<Asked> {
    const [row, other] = [await this.#idOf(transactions), await this.#idOf(transactions)];
    const category = await this.#idOf(categories);
    const amount = this.#integer(1, 500);
    const name = `name ${(this.#names += 1)}`;
    const day = `2026-01-${String(this.#integer(1, 28)).padStart(2, '0')}`;
    const part = { amount, payee: name, date: day };
    const conditions = { payee: { operator: 'contains', value: name } };
    const criteria = { payee: name, amount, granularity: 'month', quantity: 1, anchor_date: day };
    const all: Asked[] = [
      ['POST', '/v2/transactions', { transactions: [part, { ...part, date: '2026-02-01' }] }],
      ['PUT', `/v2/transactions/${row}`, { notes: name, custom_metadata: { name } }],
      ['DELETE', `/v2/transactions/${row}`],
      ['POST', `/v2/transactions/split/${row}`, { child_transactions: [part, part] }],
      ['DELETE', `/v2/transactions/split/${row}`],
      ['POST', '/v2/transactions/group', { ids: [row, other], date: day, payee: name }],
      ['DELETE', `/v2/transactions/group/${row}`],
      ['POST', '/v2/manual_accounts', { name, type: 'cash', balance: amount }],
      ['PUT', `/v2/categories/${category}`, { description: name }],
      ['PUT', '/v2/budgets', { category_id: category, start_date: '2026-01-01', amount }],
      ['DELETE', `/v2/budgets?category_id=${category}&start_date=2026-01-01`],
      ['PUT', '/coffer/budget_settings', { budget_hide_no_activity: amount > 250 }],
      ['POST', '/coffer/rules', { name, conditions, actions: { notes: name } }],
      ['DELETE', `/coffer/rules/${await this.#idOf(rules)}`],
      ['POST', '/coffer/recurring_items', { transaction_criteria: criteria }],
      ['POST', '/v2/tags', { name }],
    ];
    return all[this.#integer(0, all.length - 1)]!;
  }

  /** The id of any record; 1 if there is none. */
  async #idOf(table: typeof transactions | typeof categories | typeof rules): Promise<number> {
    const { bookId: book_id } = this.#owner;
    const all = await this.#store.read(() => select(table, { book_id }, { limit: 200 }));
    return all[this.#integer(0, Math.max(0, all.length - 1))]?.id ?? 1;
  }

  #integer(least: number, most: number): number {
    return integerFrom(this.#random, least, most);
  }
}
