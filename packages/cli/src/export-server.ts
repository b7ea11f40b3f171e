import { ArgumentError, CofferError, createClient } from '@coffer/client';
import type { Client, RetryNotice, Transaction, TransactionQuery } from '@coffer/client';
import type { ExportedTransaction } from '@coffer/server';
import { csvRows } from './csv-rows.ts';
import { namesOf, readLists } from './export-lists.ts';
import type { Names, WireRecord } from './export-lists.ts';
import { startWalkProgress } from './export-progress.ts';
import type { WalkProgress } from './export-progress.ts';
import { Failure, Misuse } from './failure.ts';
import { printable, quote } from './printable.ts';
import type { Surroundings } from './surroundings.ts';

/** Which service, as whom, and in what form. */
export interface ServerExport {
  /** As the client takes it, with or without `/v2`. */
  readonly server: string;
  readonly token: string;
  readonly format: 'csv' | 'ndjson';
}

type Texts = AsyncGenerator<string, void, undefined>;

/** The largest page there is, so that the list costs the fewest requests. */
const limit = 2000;
/** Fewer than the client's own, because somebody watches. */
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
 * Throws {@link Misuse} for an address or a token that cannot be one, {@link Failure} for whatever the service does.
 */
export async function* exportFromServer(
  { server, token, format }: ServerExport,
  surroundings: Surroundings,
): Texts {
  const progress = startWalkProgress(surroundings);
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
    categoryName: names.category(row.category_id),
    accountName: names.account(row.manual_account_id, row.plaid_account_id),
    tagNames: row.tag_ids.flatMap((tag) => names.tag(tag) ?? []),
    json: JSON.stringify({ is_pending, is_split_parent, is_group_parent: row.is_group_parent }),
  };
}

/** An amount of the wire, exactly. */
function tenThousandths({ id, amount }: Transaction): number {
  const isAmount = /^-?\d{1,11}\.\d{4}$/.test(amount);
  if (isAmount) return Number(amount.replace('.', ''));
  throw new Failure(`Transaction ${id} has the amount ${quote(amount)}, which is none`);
}

/** Everything that the service gives, transactions in its own order. */
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

/** The `type` of an account becomes `account_type`, because `type` says what the line is. */
function accountOf({ type, ...rest }: WireRecord): object {
  return { account_type: type, ...rest };
}

/** The pages of a list. A row that comes twice, because the book has changed meanwhile, is given once. */
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
