import { ask } from '../../test/service/ask.ts';
import type { Owner } from '../../test/service/owners.ts';
import { pdfForm } from './id-requests.ts';
import type { RecordKind } from './two-books.ts';

/** More of each kind than there are places that use one up. */
const count = 60;
const transactionCount = 60;

/** Kinds of records that the API does not create. */
type NotCreated =
  | 'crypto'
  | 'plaid'
  | 'entry'
  | 'deleted'
  | 'import'
  | 'undoneImport'
  | 'preview'
  | 'webhook'
  | 'session'
  | 'passkey'
  | 'token';
type Made = Readonly<Record<Exclude<RecordKind, NotCreated>, readonly number[]>>;
type Send = (method: string, path: string, body?: object) => Promise<Created>;
interface Created {
  readonly id: number;
  readonly ids: readonly number[];
}

/** Creates records through the API, with the mark in every text; returns their ids by kind. */
export async function addRecords(url: string, { token }: Owner, mark: string): Promise<Made> {
  const send: Send = async (method, path, body) => {
    const isForm = body === undefined && path.endsWith('/attachments');
    const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const sent = body === undefined ? {} : json;
    const { status, text } = await ask(url + path, {
      method,
      token,
      ...(isForm ? pdfForm : sent),
    });
    if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${text}`);
    return readCreated(text);
  };
  const times = async (path: string, bodyOf: (n: number) => object): Promise<number[]> => {
    const ids: number[] = [];
    for (let n = 0; n < count; n += 1) ids.push((await send('POST', path, bodyOf(n))).id);
    return ids;
  };
  const named = (n: number): string => `${mark} ${n}`;
  const balances = [{ month: '2024-02', balance: '12.00' }];
  const account = { type: 'cash', balance: '100.00', institution_name: mark };
  const manual = await times('/v2/manual_accounts', (n) => ({
    name: `${mark} a ${n}`,
    ...account,
  }));
  const gone = await times('/v2/manual_accounts', (n) => ({ name: `${mark} d ${n}`, ...account }));
  const category = await times('/v2/categories', (n) => ({ name: named(n), description: mark }));
  const tag = await times('/v2/tags', (n) => ({ name: named(n), description: mark }));
  const cryptoManual = await times('/v2/crypto/manual', (n) => ({
    ...{ name: named(n), balance: '1.5', symbol: 'btc' },
  }));
  for (const id of gone) {
    await send('PUT', `/v2/balance_history/manual/${id}`, { balances });
    await send('DELETE', `/v2/manual_accounts/${id}`);
  }
  for (const id of manual) await send('PUT', `/v2/balance_history/manual/${id}`, { balances });
  const budget = { start_date: '2024-01-01', amount: '9.00', notes: mark };
  for (const category_id of category) await send('PUT', '/v2/budgets', { category_id, ...budget });
  const categoryGroup = await times('/v2/categories', (n) => ({
    ...{ name: `${mark} g ${n}`, is_group: true },
  }));
  const recurring = await times('/coffer/recurring_items', (n) => ({
    description: named(n),
    transaction_criteria: {
      ...{ granularity: 'month', quantity: 1, anchor_date: '2024-01-01' },
      ...{ amount: `${n + 1}.00`, payee: named(n) },
    },
  }));
  const rule = await times('/coffer/rules', (n) => ({
    name: named(n),
    conditions: { payee: { operator: 'is', value: named(n) } },
    actions: { notes: mark },
  }));
  // Found by the filters of the list.
  const transactions = category.map((category_id, n) => ({
    ...{ date: '2024-01-15', amount: '1.00', payee: mark, category_id },
    ...{ manual_account_id: manual[n], recurring_id: recurring[n], tag_ids: [tag[n]] },
  }));
  await send('POST', '/v2/transactions', { transactions });
  const more = await addTransactions(send, mark);
  return { ...more, manual, category, tag, cryptoManual, categoryGroup, recurring, rule };
}

async function addTransactions(
  send: Send,
  mark: string,
): Promise<Pick<Made, 'transaction' | 'split' | 'group' | 'file'>> {
  const row = { date: '2024-01-15', amount: '1.00', payee: mark, notes: mark };
  const add = async (size: number): Promise<readonly number[]> => {
    const transactions = Array.from({ length: size }, () => row);
    return (await send('POST', '/v2/transactions', { transactions })).ids;
  };
  const split = await add(count);
  const parts = [
    { amount: '0.40', payee: mark },
    { amount: '0.60', payee: mark },
  ];
  for (const id of split)
    await send('POST', `/v2/transactions/split/${id}`, { child_transactions: parts });
  const group: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const made = { ids: await add(2), date: '2024-01-15', payee: mark };
    group.push((await send('POST', '/v2/transactions/group', made)).id);
  }
  const file: number[] = [];
  for (const id of await add(count))
    file.push((await send('POST', `/v2/transactions/${id}/attachments`)).id);
  return { transaction: await add(transactionCount), split, group, file };
}

function readCreated(text: string): Created {
  if (text === '') return { id: 0, ids: [] };
  const { id = 0, transactions = [] } = JSON.parse(text) as {
    id?: number;
    transactions?: { id: number }[];
  };
  return { id, ids: transactions.map((each) => each.id) };
}
