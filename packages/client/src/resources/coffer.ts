import type { CallOptions } from '../sending/options.ts';
import { readChanges, type ChangePage, type ChangeQuery } from './changes.ts';
import type {
  ClientMethods,
  EarlierTransactionQuery,
  ImportPreview,
  Rule,
} from './openapi-methods.ts';
import { listShape, nothing, recordShape, type Call, type QueryOf } from './resource.ts';
import { makeTransactionLists, type TransactionLists } from './transactions.ts';

type Sent = ClientMethods['coffer'];

/** Coffer's own API, under `/coffer/`. Other services respond with 404. */
export interface CofferApi extends Sent {
  readonly rules: Rules;
  readonly imports: Imports;
  readonly transactions: EarlierTransactions;
  /** One page of changes of the book; `client.changes()` follows them. */
  changes(query?: ChangeQuery, options?: CallOptions): Promise<ChangePage>;
}

/** Methods of rules. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Rules extends SentRules {
  /** Puts the rules in another order, by all their ids, and resolves to them. */
  order(ids: readonly number[], options?: CallOptions): Promise<readonly Rule[]>;
  /** Deletes a rule. It has no query parameters. */
  delete(id: number, query?: Readonly<Record<string, never>>, options?: CallOptions): Promise<void>;
}
type SentRules = Sent['rules'];

/** How to read a file, and its name. */
export type UploadQuery = QueryOf<'previewImport'>;

/** Methods of imports. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Imports extends SentImports {
  /**
   * Sends a file of at most 50 MB, and shows what an import of it would do. A large file is read in the background:
   * `get` its id until `preview.status` is not `reading`. ApiError 400: the file or an option is not valid.
   */
  preview(file: Blob, query?: UploadQuery, options?: CallOptions): Promise<ImportPreview>;
}
type SentImports = Sent['imports'];

/**
 * Methods that search transactions, or read them as they were, with `as_of` in their queries. ApiError 400: the book
 * does not have that version yet. ApiError 410: its changes since were pruned.
 */
export interface EarlierTransactions
  extends SentTransactions, TransactionLists<EarlierTransactionQuery> {}
type SentTransactions = Sent['transactions'];

const rules = listShape<Rule>('rules');
const importPreview = recordShape<ImportPreview>('ImportPreview');

/** Coffer's own API of a client; `call` is that of this API, `sent` are the methods that only send a request. */
export function makeCofferApi(call: Call, sent: Sent): CofferApi {
  return {
    ...sent,
    rules: {
      ...sent.rules,
      order: (rule_ids, options) =>
        call(rules, ['rules', 'order'], { ...options, method: 'PUT', body: { rule_ids } }),
      delete: (id, query, options) =>
        call(nothing, ['rules', { id }], { ...options, method: 'DELETE', query }),
    },
    imports: {
      ...sent.imports,
      preview: (file, query, options) => {
        const body = new FormData();
        body.set('file', file);
        return call(importPreview, ['imports'], { ...options, method: 'POST', query, body });
      },
    },
    transactions: { ...sent.transactions, ...makeTransactionLists<EarlierTransactionQuery>(call) },
    changes: (query, options) => readChanges(call, query, options),
  };
}
