import type { IdPlace } from './id-places.ts';
import { bodyOfV1 } from './id-requests-v1.ts';
import type { RecordKind } from './two-books.ts';

/** A request to send. */
export interface IdRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The rest of a request: records of its sender, and a name that no record has yet. */
export interface Sender {
  /** Returns the id of a record of the sender. */
  readonly own: (kind: RecordKind) => number;
  readonly rules: readonly number[];
  readonly name: string;
}

/** The JSON body of a request. */
export type Body = Readonly<Record<string, unknown>>;

/** The range of all records of the books. */
export const rangeV1 = 'start_date=2024-01-01&end_date=2024-12-31&pending=true';

/** A form with a small PDF. */
export const pdfForm = {
  headers: { 'content-type': 'multipart/form-data; boundary=xyz' },
  body:
    '--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n' +
    'Content-Type: application/pdf\r\n\r\n%PDF-1.7\n\r\n--xyz--\r\n',
} as const;

/** Returns a request of `sender` with `id` in its place. Everything else in it is valid. */
export function requestWith(at: IdPlace, id: number, sender: Sender): IdRequest {
  const { method, place } = at;
  const target = targetWith(at, id, sender);
  if (at.path.endsWith('/attachments')) return { method, target, ...pdfForm };
  const base = bodyOf(at, sender);
  if (base === undefined) return { method, target };
  const [where, key = ''] = place.split(' ');
  const body = structuredClone(base) as Record<string, unknown>;
  if (where === 'body') setAt(body, key.split('.'), id);
  // All rules must be listed once.
  if ('rule_ids' in body) body['rule_ids'] = [...new Set(body['rule_ids'] as number[])];
  const headers = { 'content-type': 'application/json' };
  return { method, target, body: JSON.stringify(body), headers };
}

function targetWith(at: IdPlace, id: number, sender: Sender): string {
  const [where, key = ''] = at.place.split(' ');
  const path = at.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'symbol') return 'btc';
    if (where === 'path' && name === key) return String(id);
    return String(sender.own(kindInPath(at, name)));
  });
  const query = [
    ...(where === 'query' ? [`${key}=${id}`] : []),
    ...(at.path === '/v2/transactions' && at.method === 'GET'
      ? ['include_pending=true', 'limit=50']
      : []),
    ...(at.path === '/v1/transactions' && at.method === 'GET' ? [rangeV1] : []),
    ...(at.path.endsWith('/budgets') && at.method === 'DELETE' ? ['start_date=2024-01-01'] : []),
    ...(at.path === '/coffer/history' ? ['record=transactions'] : []),
    ...(at.hasForce ? ['force=true'] : []),
  ];
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function kindInPath({ inPath, place }: IdPlace, name: string): RecordKind {
  return place.includes('children') && name === 'id'
    ? 'categoryGroup'
    : (inPath[name] as RecordKind);
}

/** Sets a value in a body; `[]` is the first element of a list. Missing objects and lists are created. */
function setAt(body: Record<string, unknown>, [key = '', ...rest]: string[], id: number): void {
  const name = key.replace('[]', '');
  const isList = name !== key;
  if (rest.length === 0) {
    const listed = (body[name] as unknown[] | undefined) ?? [];
    body[name] = isList ? [id, ...listed.slice(1)] : id;
    return;
  }
  const inner = (body[name] ??= isList ? [{}] : {});
  setAt((isList ? (inner as unknown[])[0] : inner) as Record<string, unknown>, rest, id);
}

const criteria = {
  granularity: 'month',
  quantity: 1,
  anchor_date: '2024-01-01',
  amount: '1.00',
} as const;

function bodyOf({ method, path, place }: IdPlace, sender: Sender): Body | undefined {
  if (path.startsWith('/v1/')) return bodyOfV1({ method, path, place }, sender);
  const { name, own } = sender;
  const amounts = [{ amount: '0.40' }, { amount: '0.60' }];
  const has = (part: string): boolean => place.includes(part);
  const rule = ruleOf(name, has('split'));
  const recurring = has('transaction_criteria') || method === 'POST';
  switch (`${method} ${path}`) {
    case 'POST /v2/transactions':
      return { transactions: [{ date: '2024-01-15', amount: '1.00', payee: name }] };
    case 'PUT /v2/transactions':
      return { transactions: [{ id: own('transaction'), notes: name }] };
    case 'DELETE /v2/transactions':
      return {};
    case 'PUT /v2/transactions/{id}':
      return { notes: name };
    case 'POST /v2/transactions/group':
      return { ids: [own('transaction'), own('transaction')], date: '2024-01-15', payee: name };
    case 'POST /v2/transactions/split/{id}':
      return { child_transactions: amounts };
    case 'POST /v2/categories':
      return { name, ...(has('children') && { is_group: true }) };
    case 'POST /coffer/categories/{id}/merge':
      return { into_id: own('category') };
    case 'POST /coffer/manual_accounts/{id}/merge':
      return has('into_plaid_id') ? {} : { into_id: own('manual') };
    case 'PUT /v2/budgets':
      return { start_date: '2024-01-01', category_id: own('category'), amount: '5.00' };
    case 'POST /coffer/recurring_items':
    case 'PUT /coffer/recurring_items/{id}':
      return { description: name, ...(recurring && { transaction_criteria: criteria }) };
    case 'POST /coffer/rules':
    case 'PUT /coffer/rules/{id}':
      return rule;
    case 'PUT /coffer/rules/order':
      return { rule_ids: [0, ...sender.rules] };
    case 'POST /coffer/rules/preview':
      return has('rule_id') ? {} : { rule };
    case 'POST /coffer/rules/apply':
      return {};
    case 'POST /coffer/webhooks/{id}/redeliver':
      return { after: 'latest' };
    case 'PUT /v2/balance_history/deleted/{account_id}/details':
      return { name };
  }
  if (method !== 'PUT') return undefined;
  if (path.startsWith('/v2/balance_history'))
    return { balances: [{ month: '2024-01', balance: '1.00' }] };
  return path.startsWith('/v2/crypto') || path.includes('manual_accounts')
    ? { institution_name: null }
    : { description: null };
}

function ruleOf(name: string, isSplit: boolean): Body {
  // The last part gets the rest.
  const parts = [{ percentage: '40' }, { payee: name }];
  return {
    name,
    conditions: { payee: { operator: 'is', value: name } },
    actions: isSplit ? { split: parts } : { notes: name },
  };
}
