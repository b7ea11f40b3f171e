import { printable } from '@coffer/core/text';
import { parseAmount } from '@coffer/core/money';
import { ApiError, ArgumentError, CofferError, createClient } from '@coffer/client';
import type { Client, RetryNotice, Transaction, TransactionQuery } from '@coffer/client';
import type { ExportedTransaction } from '@coffer/server';
import type { CommandContext } from '../../context.ts';
import { Failure, Misuse } from '../../failure.ts';
import { quote } from '../../terminal/format.ts';
import { startWalkProgress } from '../../terminal/progress.ts';
import type { WalkProgress } from '../../terminal/progress.ts';
import { csvRows } from './csv-rows.ts';

/** Which service, as whom, and in what form. */
export interface ServerExport {
  /** As the client takes it, with or without `/v2`. */
  readonly server: string;
  readonly token: string;
  readonly format: 'csv' | 'ndjson';
}

/** A record of a list, in its wire form. */
type WireRecord = Readonly<Record<string, unknown>>;

type Lists = Awaited<ReturnType<typeof readLists>>;
type Names = ReturnType<typeof namesOf>;
type Texts = AsyncGenerator<string, void, undefined>;

/** The largest page there is, so that the list costs the fewest requests. */
const limit = 2000;
/** Fewer than the client's default, because a person waits. */
const maxAttempts = 6;
const everything: TransactionQuery = {
  include_pending: true,
  include_split_parents: true,
  include_group_children: true,
  include_metadata: true,
};

/**
 * The book that a token opens, read through the HTTP interface, in pieces of text.
 *
 * Throws {@link Misuse} for an invalid address or token, {@link Failure} for an error of the service.
 */
export async function* exportFromServer(
  { server, token, format }: ServerExport,
  context: CommandContext,
): Texts {
  const progress = startWalkProgress(context);
  try {
    const onRetry = (notice: RetryNotice): void => progress.say(describe(notice));
    const client = createClient({ baseUrl: server, token, maxAttempts, onRetry });
    yield* format === 'csv' ? csvTexts(client, progress) : ndjsonTexts(client, progress);
  } catch (error) {
    if (error instanceof ArgumentError) throw new Misuse(printable(error.message));
    if (error instanceof CofferError) throw new Failure(printable(error.message));
    throw error;
  } finally {
    progress.stop();
  }
}

function describe({ error, delayMs }: RetryNotice): string {
  return printable(`${error.message}; again in ${Math.ceil(delayMs / 1000)} s`);
}

/** The money. Ascending by id like an export of the database, so all of it is held until the last page is there. */
async function* csvTexts(client: Client, progress: WalkProgress): Texts {
  const names = namesOf(await readLists(client));
  const transactions: ExportedTransaction[] = [];
  for await (const rows of walk(client, { include_group_children: true }, progress)) {
    for (const row of rows) transactions.push(exported(row, names));
  }
  transactions.sort((a, b) => a.id - b.id);
  yield* csvRows({ transactions });
}

function exported(row: Transaction, names: Names): ExportedTransaction {
  const { id, date, currency, payee, notes, status, is_pending, is_split_parent } = row;
  return {
    ...{ id, date, currency, payee, notes, status },
    amount: tenThousandths(row),
    externalId: row.external_id,
    categoryName: names('category', row.category_id),
    accountName: names('manual', row.manual_account_id) ?? names('plaid', row.plaid_account_id),
    tagNames: row.tag_ids.flatMap((tag) => names('tag', tag) ?? []),
    json: JSON.stringify({ is_pending, is_split_parent, is_group_parent: row.is_group_parent }),
  };
}

/** An amount of the wire, exactly. */
function tenThousandths({ id, amount }: Transaction): number {
  const parsed = parseAmount(amount);
  if (parsed !== null) return parsed;
  throw new Failure(`Transaction ${id} has the amount ${quote(amount)}, which is none`);
}

/** Everything that the service serves, transactions in its order. */
async function* ndjsonTexts(client: Client, progress: WalkProgress): Texts {
  const { account_id: id, budget_name: name, primary_currency } = await client.me();
  const lists = await readLists(client);
  yield line('book', { id, name, primary_currency });
  for (const account of lists.manualAccounts) yield line('manual_account', accountOf(account));
  for (const account of lists.plaidAccounts) yield line('plaid_account', accountOf(account));
  for (const category of lists.categories) yield line('category', category);
  for (const tag of lists.tags) yield line('tag', tag);
  for await (const rows of walk(client, everything, progress)) {
    yield* rows.map((row) => line('transaction', row));
  }
}

function line(type: string, record: object): string {
  return `${JSON.stringify({ type, ...record })}\n`;
}

/** Renames the `type` of an account to `account_type`, because `type` is the type of the line. */
function accountOf({ type, ...rest }: WireRecord): object {
  return { account_type: type, ...rest };
}

/** The pages of a list. A row that appears again, because the book has changed meanwhile, is left out. */
async function* walk(
  client: Client,
  query: TransactionQuery,
  progress: WalkProgress,
): AsyncGenerator<Transaction[], void, undefined> {
  const seen = new Set<number>();
  for await (const { transactions } of client.transactions.pages({ ...query, limit })) {
    const rows = transactions.filter(({ id }) => !seen.has(id));
    for (const { id } of rows) seen.add(id);
    progress.update(seen.size, rows.at(-1)?.date);
    yield rows;
  }
}

/** Reads what a service lists besides transactions, each list in one request; one that it does not have is empty. */
async function readLists(client: Client) {
  return {
    manualAccounts: await readList(client, 'manual_accounts'),
    plaidAccounts: await readList(client, 'plaid_accounts'),
    categories: await client.categories.list(),
    tags: await readList(client, 'tags'),
  };
}

/** Finds the names that the ids of a transaction stand for: of an account its display name, when it has one. */
function namesOf({ manualAccounts, plaidAccounts, categories, tags }: Lists) {
  // A group has its members in `children`.
  const all = categories.flatMap((category) => [category, ...(category.children ?? [])]);
  const names = {
    category: namesById(all),
    manual: namesById(manualAccounts),
    plaid: namesById(plaidAccounts),
    tag: namesById(tags),
  };
  return (list: keyof typeof names, id: number | null) => names[list].get(id) ?? null;
}

async function readList(client: Client, key: string): Promise<WireRecord[]> {
  try {
    const body = await client.request({ path: `/${key}` });
    const records = isRecord(body) ? body[key] : undefined;
    return Array.isArray(records) ? records.filter(isRecord) : [];
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function namesById(records: readonly WireRecord[]): Map<unknown, string> {
  return new Map(records.map((record) => [record['id'], nameOf(record)]));
}

function nameOf({ name, display_name: shown }: WireRecord): string {
  if (typeof shown === 'string' && shown !== '') return shown;
  return typeof name === 'string' ? name : '';
}
