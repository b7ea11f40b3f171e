import { ask, newAddress } from '../../test/service/ask.ts';
import type { Synced } from '../../test/service/server-process.ts';
import { readAccount } from '../../test/service/synced-accounts.ts';
import { counted } from '../run/check.ts';
import { batchOf, inspect, lossProblems, readFile, type Ledger } from '../run/ledger.ts';
import type { Acknowledged } from './restore-writers.ts';

/** The file must be sound, every batch complete with its sum, and every acknowledged batch present. */
export function contentProblems(path: string, ledger: Ledger, before: Acknowledged): string[] {
  const { faults, batches } = inspect(path);
  // In ten-thousandths; expenses are positive.
  const sums = rowsOf<{ payee: string; sum: number }>(
    path,
    'SELECT payee, sum(amount) AS sum FROM transactions GROUP BY payee',
  );
  const wrong = sums.filter(({ payee, sum }) => {
    const rows = batches.get(batchOf(payee) ?? 0) ?? 0;
    return sum !== (rows * (rows + 1) * 10_000) / 2;
  });
  return [
    ...faults,
    ...lossProblems(ledger.compare(batches, before.batches), 'batches'),
    ...counted(wrong.length, 'batches have a wrong sum'),
  ];
}

/** Rows are only added, so each row of a restored file must be in the original. */
export function strangers(database: string, restored: readonly string[]): string[] {
  const columns = 'id, book_id, date, amount, to_base, payee, manual_account_id, created_at';
  const textsOf = (path: string): string[] =>
    rowsOf(path, `SELECT ${columns} FROM transactions`).map((row) => JSON.stringify(row));
  const all = new Set(textsOf(database));
  return restored.flatMap((path, index) => {
    const unknown = textsOf(path).filter((row) => !all.has(row));
    return counted(unknown.length, `rows of drill ${index + 1} were never written`);
  });
}

/** A server on the restored file must accept all tokens, return all readings, and refresh every account. */
export function answerProblems(
  database: string,
  { owner: { token }, serve }: Synced,
  { tokens, readings }: Acknowledged,
): Promise<string[]> {
  const work = async ({ url }: { readonly url: string }): Promise<string[]> => {
    const asked = tokens.map((each) => ask(`${url}/v2/me`, { token: each, from: newAddress() }));
    const refused = (await Promise.all(asked)).filter(({ status }) => status !== 200);
    const problems = counted(refused.length, `of ${tokens.length} tokens do not work`);
    // The stored reading must be complete and current; then the account is refreshed with the restored credentials.
    for (const [id, acknowledged] of readings)
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
    return problems;
  };
  return serve(work, { database, flags: ['--log-level', 'silent'] });
}

function rowsOf<T>(path: string, statement: string): T[] {
  return readFile(path, (database) => database.prepare<[], T>(statement).all());
}
