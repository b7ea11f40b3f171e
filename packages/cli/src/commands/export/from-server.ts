import { printable } from '@coffer/core/text';
import { formatAmount, parseAmount } from '@coffer/core/money';
import { ApiError, ArgumentError, CofferError, createClient } from '@coffer/client';
import type { Client, RetryNotice, Transaction, TransactionQuery } from '@coffer/client';
import { csvHeader, CsvLines, type ExportNames } from '@coffer/server/src/exports/lists/csv.ts';
import { inChunks, type ExportFormat } from '@coffer/server/src/exports/lists/file.ts';
import { rowSeparator, wireRow } from '@coffer/server/src/exports/lists/wire-rows.ts';
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
type Pieces = AsyncGenerator<Buffer, void, undefined>;

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
): Pieces {
  const progress = startWalkProgress(context);
  try {
    const onRetry = (notice: RetryNotice): void => progress.say(describe(notice));
    const client = createClient({ baseUrl: server, token, maxAttempts, onRetry });
    yield* format === 'csv' ? csvPieces(client, progress) : ndjsonPieces(client, progress);
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

/** Lines that are converted at once. */
const linesAtOnce = 1000;

/** Yields CSV, ascending by id like an export of a database, so it keeps all rows in memory up to the last page. */
async function* csvPieces(client: Client, progress: WalkProgress): Pieces {
  const lines = new CsvLines(namesOf(await readLists(client)));
  const rows: { readonly id: number; readonly json: string }[] = [];
  for await (const page of walk(client, { include_group_children: true }, progress)) {
    for (const row of page) rows.push({ id: row.id, json: exported(row) });
  }
  rows.sort((a, b) => a.id - b.id);
  yield csvHeader;
  for (let at = 0; at < rows.length; at += linesAtOnce) {
    const block = rows.slice(at, at + linesAtOnce).map(({ json }) => json);
    yield lines.linesOf(Buffer.from(block.join(rowSeparator)));
  }
}

function exported(row: Transaction): string {
  return wireRow({ ...row, amount: formatAmount(tenThousandths(row)) });
}

/** Reads the amount of a transaction exactly. */
function tenThousandths({ id, amount }: Transaction): number {
  const parsed = parseAmount(amount);
  if (parsed !== null) return parsed;
  throw new Failure(`Transaction ${id} has an invalid amount: ${quote(amount)}`);
}

/** Yields all records of the service as NDJSON, transactions in the order of the service. */
async function* ndjsonPieces(client: Client, progress: WalkProgress): Pieces {
  const { account_id: id, budget_name: name, primary_currency } = await client.me();
  const lists = await readLists(client);
  yield* inChunks([
    line('book', { id, name, primary_currency }),
    ...lists.manualAccounts.map((account) => line('manual_account', accountOf(account))),
    ...lists.plaidAccounts.map((account) => line('plaid_account', accountOf(account))),
    ...lists.categories.map((category) => line('category', category)),
    ...lists.tags.map((tag) => line('tag', tag)),
  ]);
  for await (const rows of walk(client, everything, progress)) {
    yield* inChunks(rows.map((row) => line('transaction', row)));
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

/** Returns the names of records. An account has its display name, if there is one. */
function namesOf({ manualAccounts, plaidAccounts, categories, tags }: Lists): ExportNames {
  // The members of a group are in its `children`.
  const all = categories.flatMap((category) => [category, ...(category.children ?? [])]);
  return {
    categories: namesById(all),
    manual: namesById(manualAccounts),
    plaid: namesById(plaidAccounts),
    tags: namesById(tags),
  };
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

function namesById(records: readonly WireRecord[]): Map<number, string> {
  return new Map(records.map((record) => [Number(record['id']), nameOf(record)]));
}

function nameOf({ name, display_name: shown }: WireRecord): string {
  if (typeof shown === 'string' && shown !== '') return shown;
  return typeof name === 'string' ? name : '';
}
