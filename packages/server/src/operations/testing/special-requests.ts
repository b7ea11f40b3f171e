import { deafUrl } from '../../webhooks/testing/test-sender.ts';
import type { Described } from '../declaration.ts';
import type { RecordKind } from './id-places.ts';

export interface GoodRequest {
  readonly operation: Described;
  /** Of an operation for several types of accounts, the path has one of them. */
  readonly path: string;
  readonly params: Readonly<Record<string, number | string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** A file with its type; in a form if it has a boundary. */
  readonly file?: { readonly type: string; readonly bytes: Uint8Array };
}

export interface Records {
  /** Returns the id of a record that a request may use up. */
  own(kind: RecordKind): number | Promise<number>;
  /** Returns the id of a record that a request links to. */
  link(kind: RecordKind): number | Promise<number>;
  fresh(example: string): string;
  version(): number | Promise<number>;
  /** Returns all rules, because their order needs all of them. */
  rules(): readonly number[] | Promise<readonly number[]>;
  /** Makes a record that only exists with the request: a budget, a secret, or a challenge. Returns the request. */
  prepared(request: GoodRequest): GoodRequest | Promise<GoodRequest>;
}

type Special = (request: GoodRequest, records: Records) => GoodRequest | Promise<GoodRequest>;

function withBody(more: object): Special {
  return (request) => ({ ...request, body: { ...(request.body as object), ...more } });
}

function withOnly(body: object): Special {
  return (request) => ({ ...request, body });
}

function withQuery(query: Readonly<Record<string, string>>): (request: GoodRequest) => GoodRequest {
  return (request) => ({ ...request, query: { ...query, ...request.query } });
}

const boundary = 'boundary-of-a-test';

export const pngBytes = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export function formWith(notes: string): Required<Pick<GoodRequest, 'file'>> {
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name=`;
  const bytes = Buffer.concat([
    Buffer.from(`${disposition}"file"; filename="one.png"\r\nContent-Type: image/png\r\n\r\n`),
    pngBytes,
    Buffer.from(`\r\n${disposition}"notes"\r\n\r\n${notes}\r\n--${boundary}--\r\n`),
  ]);
  return { file: { type: `multipart/form-data; boundary=${boundary}`, bytes } };
}

export function newFile(payee: string): Buffer {
  return Buffer.from(`Date,Payee,Amount\n2026-03-06,${payee},-1.50\n2026-03-07,${payee},-2\n`);
}

/** Requests that no example has: files, what must exist on this machine, or what all other records depend on. */
export const special: Readonly<Record<string, Special>> = {
  attachFileToTransaction: ({ body: _, ...rest }, records) => ({
    ...rest,
    ...formWith(records.fresh('Notes')),
  }),
  previewImport: ({ body: _, ...rest }, records) => ({
    ...rest,
    query: { file_name: records.fresh('may.csv') },
    file: { type: 'text/csv', bytes: newFile(records.fresh('Imported')) },
  }),
  orderRules: async (request, records) => ({
    ...request,
    body: { rule_ids: [...(await records.rules())] },
  }),
  createTransferWithTransactions: async (request, records) => ({
    ...request,
    body: {
      ...(request.body as object),
      to_account: { manual_account_id: await records.own('manual') },
      // Synced accounts have another currency.
      received_amount: '500',
    },
  }),
  moveBudget: async (request, records) => {
    const other = await records.own('category');
    return withBody({ to_category_id: other })(request, records);
  },
  updateBudgetSettings: withOnly({ budget_hide_no_activity: true }),
  createToken: withOnly({ label: 'script' }),
  createWebhook: withBody({ url: deafUrl }),
  redeliverWebhook: withOnly({ after: 'latest' }),
  // Some filters are only for the present.
  getTransactionsAsOf: (request) =>
    Object.keys(request.query).length > 0 ? request : withQuery({ as_of: '1' })(request),
  exportBook: withQuery({ as_of: '1' }),
  // An id is one of a kind of records.
  getHistory: (request) =>
    'id' in request.query ? withQuery({ record: 'transactions' })(request) : request,
};
