import { writeSync } from 'node:fs';
import { openTemporary } from '../../imports/statement-file.ts';
import type { Filled } from '../../pages/testing/filled-book.ts';
import type { AnyRequest } from '../operation.ts';

/** What a request sends. */
export type Part = Partial<Pick<AnyRequest, 'params' | 'query' | 'body' | 'idempotencyKey'>>;

/** Returns an id in the responses of an operation: of the record that its first request created, or another. */
export type MadeBy = (operation: string, index?: number) => number;

/** The requests of operations, by their ids. */
export type Requests = Record<string, () => readonly Part[]>;

const skip = { conflicts: 'skip' };
/** The month of the requests. */
export const period = { start_date: '2025-12-01', end_date: '2025-12-31' };

/*
 * Requests for Coffer's own operations.
 */

/** Requests for rules. */
export function ruleRequests({ ids }: Filled, made: MadeBy): Requests {
  const rule = {
    name: 'Coffee',
    conditions: { payee: { operator: 'contains', value: 'Bakery' }, amount: { max: '20' } },
    actions: { category_id: ids.categories[1], tag_ids: [ids.tags[1]], reviewed: true },
  };
  const split = {
    ...{ name: 'Split', conditions: { manual_account_id: ids.manual[0] } },
    actions: { split: [{ percentage: 50, category_id: ids.categories[1] }, { notes: 'N' }] },
  };
  const scope = { ...period, transactions: 1000 };
  return {
    getAllRules: () => [{}],
    createRule: () => [{ body: rule }, { body: split }],
    getRuleById: () => [{ params: { id: made('createRule') } }],
    updateRule: () => [{ params: { id: made('createRule') }, body: { stop: false } }],
    orderRules: () => [{ body: { rule_ids: [made('createRule', 1), made('createRule')] } }],
    previewRules: () => [{ body: {} }, { body: { rule, ...scope } }],
    applyRules: () => [{ body: { rule_id: made('createRule'), ...scope } }, { body: scope }],
    deleteRule: () => [{ params: { id: made('createRule', 1) } }],
  };
}

/** A file as the server receives it. */
function upload(content: string): Part {
  const file = openTemporary();
  const bytes = writeSync(file, content);
  const received = { name: 'may.csv', bytes, hash: 'ab', take: () => file, close: () => undefined };
  return { body: { file: received, fields: [] }, query: { account: 'Previewed' } };
}

/** Requests for imports and their previews. */
export function importRequests(id: number, made: MadeBy): Requests {
  const one = { params: { id } };
  return {
    getChanges: () => [{ query: { after: '0', limit: 50, wait: 0 } }],
    getAllImports: () => [
      { query: { limit: 1, offset: 0 } },
      { query: { limit: 1, offset: 0, is_preview: true } },
    ],
    getImportById: () => [one],
    // Other requests have changed some of its transactions.
    undoImport: () => [{ ...one, query: skip }],
    redoImport: () => [one],
    previewImport: () =>
      [1, 2, 3].map((n) => upload(`Date,Payee,Amount\n2025-11-0${n},P,-1\n2025-11-12,Q,-2\n`)),
    getImportRows: () => [
      { params: { id: made('previewImport') }, query: { limit: 1, offset: 0 } },
      { params: { id: made('previewImport') }, query: { limit: 1, offset: 0, verdict: 'new' } },
    ],
    commitImport: () => [
      { params: { id: made('previewImport') }, body: { rows: [{ number: 1, action: 'skip' }] } },
    ],
    discardImport: () => [{ params: { id: made('previewImport', 2) } }],
  };
}

/** Requests for the history, and for undo. */
export function historyRequests({ ids }: Filled, made: MadeBy): Requests {
  const page = { limit: 2, before: 100 };
  const by = { actor: 'command', operation: 'fill' };
  const record = { record: 'transactions' };
  const id = ids.transactions[0]!;
  return {
    getHistory: () =>
      [{}, by, record, { ...record, id }, { from: '2020-01-01', ...record, ...by, id }].map(
        (filter) => ({ query: { ...page, ...filter } }),
      ),
    getHistoryVersion: () =>
      [2, 3, 4, 5, 6].map((version) => ({ params: { version }, query: { limit: 100, offset: 0 } })),
    getTransactionHistory: () => [{ params: { id }, query: page }],
    undoLastChange: () => [{ query: skip }],
    undoChange: () => [{ params: { version: made('undoLastChange') }, query: skip }],
  };
}
