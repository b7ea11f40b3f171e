import fc from 'fast-check';
import type { Change } from '../../packages/server/src/changes/change.ts';
import { changing } from '../../packages/server/src/changes/changing.ts';
import {
  addAccounts,
  changeArbitrary,
  performWrites,
} from '../../packages/server/src/changes/testing/random-changes.ts';
import { undo, UndoConflictError } from '../../packages/server/src/changes/undo.ts';
import type { Steps } from '../../packages/server/src/db/engine.ts';
import { isDatabaseError } from '../../packages/server/src/db/errors.ts';
import { find, select } from '../../packages/server/src/db/rows.ts';
import { books, categories, rules, transactions } from '../../packages/server/src/db/tables.ts';
import type { Engine } from '../../packages/server/src/main.ts';
import { ask, askJson } from '../../test/service/ask.ts';
import type { Owner } from '../../test/service/owners.ts';
import { integerFrom, type Random } from '../../test/service/random.ts';
import type { KilledNodes } from './killed-nodes.ts';

const mostVersionsBack = 20;
const httpShare = 0.4;
const undoShare = 0.15;

type Asked = readonly [method: string, path: string, body?: unknown];

export interface RandomWriter {
  version(): Promise<number>;
  writeUntil(version: number): Promise<void>;
}

/**
 * Starts to change a book at random: by requests to the nodes, by changes of any table in this process, which is one
 * more node, and by undoing earlier changes.
 */
export async function startRandomWriter(
  store: Engine,
  nodes: KilledNodes,
  { bookId, token }: Owner,
  random: Random,
): Promise<RandomWriter> {
  const integer = (least: number, most: number): number => integerFrom(random, least, most);
  let names = 0;
  /** A change that meets a lock of another process is left out. */
  const change = async (work: (change: Change) => Steps<unknown>, undoes?: number) => {
    const cause = { bookId, actor: 'command', operation: 'prove' };
    const whole = undoes === undefined ? cause : { ...cause, undoes };
    await store
      .write(() => changing(whole, work))
      .catch((error: unknown) => {
        if (!isDatabaseError(error, 'busy')) throw error;
      });
  };
  const version = async (): Promise<number> =>
    (await store.read(() => find(books, { id: bookId })))!.version;
  const write = async (): Promise<void> => {
    const [writes] = fc.sample(changeArbitrary, { numRuns: 1, seed: integer(1, 2 ** 30) });
    await change((each) => performWrites(each, writes!));
  };
  const undoOne = async (): Promise<void> => {
    const last = await version();
    const undone = integer(Math.max(2, last - mostVersionsBack), last);
    await change((each) => undo(each, undone), undone).catch((error: unknown) => {
      if (!(error instanceof UndoConflictError)) throw error;
    });
  };
  /** A request to a node that is dead fails, and one about records of another kind is refused. */
  const request = async (): Promise<void> => {
    const [method, path, body] = await pick();
    const url = nodes.url() + path;
    const asked =
      body === undefined ? ask(url, { method, token }) : askJson(url, method, token, body);
    await asked.catch(() => undefined);
  };
  const idOf = async (table: typeof transactions | typeof categories | typeof rules) => {
    const all = await store.read(() => select(table, { book_id: bookId }, { limit: 200 }));
    return all[integer(0, Math.max(0, all.length - 1))]?.id ?? 1;
  };
  const pick = async (): Promise<Asked> => {
    const [row, other] = [await idOf(transactions), await idOf(transactions)];
    const [category, rule] = [await idOf(categories), await idOf(rules)];
    const amount = integer(1, 500);
    const name = `name ${(names += 1)}`;
    const day = `2026-01-${String(integer(1, 28)).padStart(2, '0')}`;
    const all = requestsOn({ row, other, category, rule, amount, name, day });
    return all[integer(0, all.length - 1)]!;
  };
  await change(addAccounts);
  return {
    version,
    writeUntil: async (wanted) => {
      while ((await version()) < wanted) {
        const fate = random();
        await (fate < httpShare ? request() : fate < httpShare + undoShare ? undoOne() : write());
      }
    },
  };
}

type Parts = Readonly<
  Record<'row' | 'other' | 'category' | 'rule' | 'amount', number> & Record<'name' | 'day', string>
>;

function requestsOn({ row, other, category, rule, amount, name, day }: Parts): Asked[] {
  const part = { amount, payee: name, date: day };
  const conditions = { payee: { operator: 'contains', value: name } };
  const criteria = { payee: name, amount, granularity: 'month', quantity: 1, anchor_date: day };
  return [
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
    ['DELETE', `/coffer/rules/${rule}`],
    ['POST', '/coffer/recurring_items', { transaction_criteria: criteria }],
    ['POST', '/v2/tags', { name }],
  ];
}
