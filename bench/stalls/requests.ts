import { setTimeout as delay } from 'node:timers/promises';
import type { Reply, SendAs } from './client.ts';
import type { BookUser } from './fill.ts';

/** A request by its name, or a few that follow each other, such as a removal and its undo. */
export type Group = Readonly<Record<string, () => Promise<unknown>>>;

/** Returns the requests of a user, in the order in which they are sent. All restore the records. */
export function requestsOf(user: BookUser, send: SendAs): readonly Group[] {
  return [
    ...reads(user, send),
    ...largeChanges(user, send),
    importOf(user, send),
    ...afterThem(send),
  ];
}

const list = '/v2/transactions?limit=100';
const search = '/coffer/transactions?limit=100';
const future = '2099-01-01T00:00:00Z';
const allYears = '/v2/summary?start_date=2016-01-01&end_date=2026-12-31';

function reads({ rows, accounts }: BookUser, send: SendAs): Group[] {
  const at = (share: number): string => `offset=${Math.floor(rows * share)}`;
  const get = (name: string, path: string): Group => ({ [name]: () => send('GET', path) });
  return [
    get('first page of 1,000', '/v2/transactions?limit=1000'),
    get('page of 1,000 at 0.9 of the rows', `/v2/transactions?limit=1000&${at(0.9)}`),
    get(
      'page of an account at a twentieth',
      `${list}&manual_account_id=${accounts[0]}&${at(0.05)}`,
    ),
    get('poll by updated_since, nothing new', `${list}&updated_since=${future}`),
    get('poll by created_since, nothing new', `${list}&created_since=${future}`),
    get('status=reviewed at 0.7 of the rows', `${list}&status=reviewed&${at(0.7)}`),
    get('status=delete_pending', `${list}&status=delete_pending`),
    get('by amount at half of the rows', `${search}&sort=-amount&${at(0.5)}`),
    get('amounts between', `${search}&min_amount=70.5&max_amount=71.5`),
    get('summary of all years', allYears),
    get('summary of all years with totals', `${allYears}&include_totals=true`),
    get('sums of all years by account', '/coffer/sums?by=month,category,account'),
    get('search for a word in every note', `${search}&q=order`),
    get('search for a word in an eighth', `${search}&q=harbour`),
    get('search for two letters', `${search}&q=ab`),
    get('search for a rare word', `${search}&q=street+1zz9`),
    get('months of a search', '/coffer/transactions/months?q=castle'),
    get('payees with a word', '/coffer/payees?q=market'),
    get('export as CSV', '/coffer/export?format=csv'),
    get('export as NDJSON', '/coffer/export?format=ndjson'),
    get('export as an archive', '/coffer/export?format=archive'),
  ];
}

/** Returns a function that undoes the last change of the user. */
function undoOf(send: SendAs): () => Promise<unknown> {
  return async () => {
    const { text } = await send('GET', '/coffer/history?limit=1');
    const { history } = JSON.parse(text) as { readonly history: readonly [{ version: number }] };
    return send('POST', `/coffer/history/${history[0].version}/undo`);
  };
}

function largeChanges({ accounts, categories, tags }: BookUser, send: SendAs): Group[] {
  const [account = 0, other = 0, third = 0] = accounts;
  const [category = 0, into_id = 0] = categories;
  const undo = undoOf(send);
  const merge = (kind: string, id: number, into: number) => () =>
    send('POST', `/coffer/${kind}/${id}/merge`, { into_id: into });
  return [
    {
      'removal of the largest account': () =>
        send(
          'DELETE',
          `/v2/manual_accounts/${account}?delete_items=true&delete_balance_history=true`,
        ),
      'undo of the removal': undo,
    },
    {
      'merge of the largest category': merge('categories', category, into_id),
      'undo of the merge': undo,
    },
    {
      'merge of two accounts': merge('manual_accounts', other, third),
      'undo of the merge of accounts': undo,
    },
    {
      'removal of a tag': () => send('DELETE', `/v2/tags/${tags[0]}?force=true`),
      'undo of the removal of a tag': undo,
    },
    { 'rules applied to 1,000': () => send('POST', '/coffer/rules/apply', { transactions: 1000 }) },
    { 'update of 500 by a filter': () => updateMany(send), 'undo of the update': undo },
  ];
}

interface Row {
  readonly id: number;
  readonly is_split_parent: boolean;
  readonly is_group_parent: boolean;
  readonly split_parent_id: number | null;
  readonly group_parent_id: number | null;
}

/** Changes the notes of the transactions that a filter finds, as the browser UI does. */
async function updateMany(send: SendAs): Promise<void> {
  const { text } = await send('GET', '/coffer/transactions?limit=500&q=street');
  const { transactions } = JSON.parse(text) as { readonly transactions: readonly Row[] };
  const plain = transactions.filter(
    (row) =>
      !row.is_split_parent && !row.is_group_parent && !row.split_parent_id && !row.group_parent_id,
  );
  const notes = `Seen ${performance.now()}`;
  await send('PUT', '/v2/transactions', { transactions: plain.map(({ id }) => ({ id, notes })) });
}

/** An import: in a response of its own, or with its preview. */
interface Import {
  readonly id: number;
  readonly status?: string;
  readonly preview?: { readonly status: string } | null;
  readonly work?: { readonly is_under_way: boolean } | null;
}

const underWay = ['reading', 'committing'];

/** Waits for an import whose file is read, committed or undone in the background, and returns it. */
async function ended(send: SendAs, { status, text }: Reply, id?: number): Promise<Import> {
  const found = JSON.parse(text) as Import;
  const state = found.preview?.status ?? found.status ?? '';
  if (state === 'failed' || found.work?.is_under_way === false)
    throw new Error(`The import failed: ${text.slice(0, 500)}`);
  const isBusy = found.work?.is_under_way ?? underWay.includes(state);
  if (status !== 202 && !isBusy) return found;
  await delay(50);
  const known = id ?? found.id;
  return ended(send, await send('GET', `/coffer/imports/${known}`), known);
}

function importOf({ rows }: BookUser, send: SendAs): Group {
  let id = 0;
  const file = Buffer.from(statementOf(Math.floor(rows / 5)));
  return {
    'preview of a fifth of the rows': async () => {
      const reply = await send('POST', '/coffer/imports?account=Statement', file);
      ({ id } = await ended(send, reply));
    },
    'commit of the preview': async () =>
      ended(send, await send('POST', `/coffer/imports/${id}/commit`), id),
    'undo of the import': async () =>
      ended(send, await send('POST', `/coffer/imports/${id}/undo`), id),
  };
}

/** Other rows in each call: a file that was imported and undone would be compared with what was removed. */
function statementOf(rows: number): string {
  const started = Math.floor(performance.now());
  const lines = Array.from({ length: rows }, (_, at) => {
    const date = new Date(Date.UTC(2016, 10, 1) + Math.floor((at / rows) * 3650) * 86_400_000);
    return `${date.toISOString().slice(0, 10)},-${1 + (at % 900)}.${10 + (at % 90)},Shop ${started} ${at % 5000}`;
  });
  return `Date,Amount,Payee\n${lines.join('\n')}\n`;
}

/** After the large changes the log has versions with many rows. */
function afterThem(send: SendAs): Group[] {
  let huge = { version: 0, before: 0 };
  const find = async (): Promise<void> => {
    const { text } = await send('GET', '/coffer/history?limit=100');
    const { history } = JSON.parse(text) as { history: { version: number; operation: string }[] };
    const removal = history.find(({ operation }) => operation === 'deleteManualAccount');
    huge = { version: removal?.version ?? 1, before: (removal?.version ?? 2) - 1 };
  };
  const get = (path: () => string) => async (): Promise<unknown> => {
    if (huge.version === 0) await find();
    return send('GET', path());
  };
  return [
    {
      'history of a huge version': get(() => `/coffer/history/${huge.version}?limit=100`),
      'the same, deep': get(() => `/coffer/history/${huge.version}?limit=100&offset=10000`),
      'feed after a huge version': get(() => `/coffer/changes?after=${huge.before}&limit=100`),
      'earlier state, a page': get(() => `${search}&as_of=${huge.before}`),
      'earlier state, exported': get(() => `/coffer/export?format=csv&as_of=${huge.before}`),
    },
  ];
}
