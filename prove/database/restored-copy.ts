import Database from 'better-sqlite3';
import { ask, newAddress } from '../run/ask.ts';
import type { Owner } from '../run/book.ts';
import { batchOf, inspect } from '../run/ledger.ts';
import { startServer } from '../run/server-process.ts';
import { readAccount, type SyncedAccounts } from '../run/synced-accounts.ts';

/** What was acknowledged before a backup started, and can be requested. */
export interface Acknowledged {
  readonly owner: Owner;
  readonly tokens: readonly string[];
  readonly accounts: SyncedAccounts;
  /** The last reading of each synced account, by its id. */
  readonly readings: ReadonlyMap<number, number>;
}

/** The file must be sound, every batch complete with its sum, and every acknowledged batch present. */
export function contentProblems(
  path: string,
  acknowledged: ReadonlyMap<number, number>,
  sent: ReadonlyMap<number, number>,
): string[] {
  const { faults, batches } = inspect(path);
  const sums = sumsOf(path);
  const lost = [...acknowledged.keys()].filter((batch) => !batches.has(batch));
  const half = [...batches].filter(([batch, rows]) => rows !== sent.get(batch));
  const wrong = [...batches].filter(
    ([batch, rows]) => sums.get(batch) !== (rows * (rows + 1) * 10_000) / 2,
  );
  return [
    ...faults,
    ...(lost.length > 0 ? [`${lost.length} acknowledged batches are missing`] : []),
    ...(half.length > 0 ? [`${half.length} batches are partial`] : []),
    ...(wrong.length > 0 ? [`${wrong.length} batches have a wrong sum`] : []),
  ];
}

/** Returns the sum of each batch in ten-thousandths; expenses are positive. */
function sumsOf(path: string): Map<number, number> {
  const sums = query<{ payee: string; sum: number }>(
    path,
    'SELECT payee, sum(amount) AS sum FROM transactions GROUP BY payee',
  );
  return new Map(sums.map(({ payee, sum }) => [batchOf(payee) ?? 0, sum]));
}

/** Rows are only added, so each row of a restored file must be in the original. */
export function strangers(database: string, restored: readonly string[]): string[] {
  const columns = 'id, book_id, date, amount, to_base, payee, manual_account_id, created_at';
  const rowsOf = (path: string): string[] =>
    query<unknown>(path, `SELECT ${columns} FROM transactions`).map((row) => JSON.stringify(row));
  const all = new Set(rowsOf(database));
  return restored.flatMap((path, index) => {
    const unknown = rowsOf(path).filter((row) => !all.has(row));
    return unknown.length > 0
      ? [`drill ${index + 1}: ${unknown.length} rows that were never written`]
      : [];
  });
}

/** A server on the restored file must accept all tokens, return all readings, and refresh every account. */
export async function answerProblems(path: string, before: Acknowledged): Promise<string[]> {
  const flags = ['--log-level', 'silent'];
  const { environment } = before.accounts;
  const server = await startServer({ database: path, flags, environment });
  try {
    return [
      ...(await tokenProblems(server.url, before.tokens)),
      ...(await readingProblems(server.url, before)),
    ];
  } finally {
    await server.end('SIGTERM');
  }
}

async function tokenProblems(url: string, tokens: readonly string[]): Promise<string[]> {
  const asked = tokens.map((token) => ask(`${url}/v2/me`, { token, from: newAddress() }));
  const refused = (await Promise.all(asked)).filter(({ status }) => status !== 200);
  return refused.length > 0 ? [`${refused.length} of ${tokens.length} tokens do not work`] : [];
}

/** The stored reading must be complete and current; then the account is refreshed with the restored credentials. */
async function readingProblems(
  url: string,
  { owner: { token }, readings }: Acknowledged,
): Promise<string[]> {
  const problems: string[] = [];
  for (const [id, acknowledged] of readings) {
    for (const [what, method, path] of [
      ['has', 'GET', `/v2/crypto/synced/${id}`],
      ['when it is refreshed has', 'POST', `/v2/crypto/synced/${id}/refresh`],
    ] as const) {
      const answer = await ask(url + path, { method, token, from: newAddress() });
      const reading = answer.status === 200 ? readAccount(answer.text).reading : null;
      if (reading === null)
        problems.push(`account ${id} ${what} no complete reading: ${answer.text.slice(0, 200)}`);
      else if (reading < acknowledged)
        problems.push(`account ${id} ${what} reading ${reading} after ${acknowledged}`);
    }
  }
  return problems;
}

function query<T>(path: string, statement: string): T[] {
  const database = new Database(path, { fileMustExist: true });
  try {
    return database.prepare<[], T>(statement).all();
  } finally {
    database.close();
  }
}
