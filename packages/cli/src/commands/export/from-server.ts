import { printable } from '@coffer/core/text';
import { parseAmount } from '@coffer/core/money';
import { ApiError, ArgumentError, CofferError, createClient } from '@coffer/client';
import type { Client, RetryNotice, Transaction, TransactionQuery } from '@coffer/client';
import { csvRows, type ExportFormat } from '@coffer/server/src/exports/lists/file.ts';
import type { ExportedTransaction } from '@coffer/server/src/exports/lists/export.ts';
import type { CommandContext } from '../../terminal/context.ts';
import { Failure, Misuse } from '../../terminal/failure.ts';
import { quote } from '../../terminal/format.ts';
import { startWalkProgress, type WalkProgress } from '../../terminal/progress.ts';

/** The service, the access token and the format. */
export interface ServerExport {
  /** A URL for the client, with or without `/v2`. */
  readonly server: string;
  readonly token: string;
  readonly format: ExportFormat;
}

/** A record of a list, as in the API. */
type WireRecord = Readonly<Record<string, unknown>>;

type Lists = Awaited<ReturnType<typeof readLists>>;
type Names = ReturnType<typeof namesOf>;
type Texts = AsyncGenerator<string, void, undefined>;

/** The largest page, so that the list needs the fewest requests. */
const limit = 2000;
/** Fewer than the default of the client, because a person is waiting. */
const maxAttempts = 6;
const everything: TransactionQuery = {
  include_pending: true,
  include_split_parents: true,
  include_group_children: true,
  include_metadata: true,
};

/**
 * Reads the book of an access token over HTTP, and yields the export in pieces.
 *
 * Throws {@link Misuse} for an invalid URL or token, and {@link Failure} for an error of the service.
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
  return printable(`${error.message}. Trying again in ${Math.ceil(delayMs / 1000)} s`);
}

/** Yields CSV, ascending by id like an export of a database, so it keeps all rows in memory up to the last page. */
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
    id,
    date,
    currency,
    payee,
    notes,
    status,
    amount: tenThousandths(row),
    externalId: row.external_id,
    categoryName: names('category', row.category_id),
    accountName: names('manual', row.manual_account_id) ?? names('plaid', row.plaid_account_id),
    tagNames: row.tag_ids.flatMap((tag) => names('tag', tag) ?? []),
    json: JSON.stringify({ is_pending, is_split_parent, is_group_parent: row.is_group_parent }),
  };
}

/** Reads the amount of a transaction exactly. */
function tenThousandths({ id, amount }: Transaction): number {
  const parsed = parseAmount(amount);
  if (parsed !== null) return parsed;
  throw new Failure(`Transaction ${id} has an invalid amount: ${quote(amount)}`);
}

/** Yields all records of the service as NDJSON, transactions in the order of the service. */
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

/** Yields the pages of a list. Leaves out rows that appear again because the book was changed in between. */
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

/** Reads all other lists of a service, each in one request. A list that it does not have is empty. */
async function readLists(client: Client) {
  return {
    manualAccounts: await readList(client, 'manual_accounts'),
    plaidAccounts: await readList(client, 'plaid_accounts'),
    categories: await client.categories.list(),
    tags: await readList(client, 'tags'),
  };
}

/** Returns a function that finds names by id. For an account it returns the display name, if there is one. */
function namesOf({ manualAccounts, plaidAccounts, categories, tags }: Lists) {
  // The members of a group are in its `children`.
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
