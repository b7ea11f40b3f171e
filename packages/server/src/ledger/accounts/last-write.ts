import sql from 'sql-template-tag';
import type { Steps } from '../../db/engine.ts';
import { rowAs, rowsAs } from '../../db/rows.ts';
import { integer, nullable, sortedText, text } from '../../db/table.ts';
import type { AnchoredAccount } from './anchors.ts';

/** A change of a book, for a sentence. */
export interface LastWrite {
  readonly version: number;
  readonly at: string;
  readonly actor: string;
  readonly operation: string;
}

/** Lines of the log that are looked through for transactions that left an account or its days. */
const mostLines = 200;
/** Versions that are looked through. */
const mostVersions = 10_000;

const write = { version: integer, at: sortedText, actor: text, operation: text };

/**
 * Returns the last change of the transactions of an account in a range of days: of those that are in it, and of those
 * that a recent change has removed from it, or moved to other days or another account.
 */
export function* lastWrite(
  account: AnchoredAccount,
  days: { readonly after: string; readonly upTo: string; readonly since: string },
): Steps<LastWrite | null> {
  const present = yield* lastOfPresent(account, days);
  const gone = yield* lastOfGone(account, days);
  const version = Math.max(present ?? 0, gone ?? 0);
  const { bookId } = account;
  const found = yield* rowAs(
    write,
    sql`SELECT version, at, actor, operation FROM changes WHERE book_id = ${bookId} AND version = ${version}`,
  );
  return found ?? null;
}

function accountColumn({ kind }: AnchoredAccount): 'manual_account_id' | 'plaid_account_id' {
  return kind === 'manual' ? 'manual_account_id' : 'plaid_account_id';
}

function* lastOfPresent(
  account: AnchoredAccount,
  { after, upTo }: { readonly after: string; readonly upTo: string },
): Steps<number | null> {
  const { bookId, id } = account;
  const column =
    accountColumn(account) === 'manual_account_id' ? sql`manual_account_id` : sql`plaid_account_id`;
  const found = yield* rowAs(
    { version: nullable(integer) },
    sql`SELECT max(version) AS version FROM changes WHERE book_id = ${bookId} AND at = (
      SELECT max(updated_at) FROM transactions
      WHERE book_id = ${bookId} AND ${column} = ${id} AND date > ${after} AND date <= ${upTo})`,
  );
  return found?.version ?? null;
}

function* lastOfGone(
  account: AnchoredAccount,
  { after, upTo, since }: { readonly after: string; readonly upTo: string; readonly since: string },
): Steps<number | null> {
  const { bookId, id } = account;
  const lines = yield* rowsAs(
    { version: integer, kind: text, first_id: integer, diff: nullable(text) },
    sql`SELECT version, kind, first_id, diff FROM changed_records
      WHERE book_id = ${bookId} AND version > (
          SELECT greatest_version.version FROM (SELECT max(version) AS version FROM (
            SELECT max(version) AS version FROM changes WHERE book_id = ${bookId} AND at <= ${since}
            UNION ALL SELECT version - ${mostVersions} FROM books WHERE id = ${bookId}) starts) greatest_version)
        AND record = 'transactions' AND (kind = 'removed' OR kind = 'changed' AND
          (diff LIKE '%"date":[%' OR diff LIKE '%account_id":[%'))
      ORDER BY version DESC, place LIMIT ${mostLines}`,
  );
  for (const { version, kind, first_id: row, diff } of lines) {
    const values = JSON.parse(diff ?? '{}') as Record<string, unknown>;
    const before = (name: string): unknown =>
      kind === 'removed' ? values[name] : (values[name] as [unknown, unknown] | undefined)?.[0];
    const now = kind === 'removed' ? undefined : yield* rowOf(bookId, row);
    const date = before('date') ?? now?.date;
    const own = before(accountColumn(account)) ?? now?.[accountColumn(account)];
    if (own === id && typeof date === 'string' && date > after && date <= upTo) return version;
  }
  return null;
}

function* rowOf(bookId: number, id: number) {
  return yield* rowAs(
    {
      date: text,
      manual_account_id: nullable(integer),
      plaid_account_id: nullable(integer),
    },
    sql`SELECT date, manual_account_id, plaid_account_id FROM transactions
      WHERE book_id = ${bookId} AND id = ${id}`,
  );
}
