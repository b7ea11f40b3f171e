import sql, { join, raw } from 'sql-template-tag';
import { row, type Steps } from '../db/engine.ts';
import { findingsOf, type Finding } from './finding.ts';

/** What is stored sealed: the table, the column, and what a user calls it. */
const sealed = [
  ['connections', 'sealed_credentials', 'bank connections'],
  ['crypto_synced_accounts', 'sealed_credentials', 'synced crypto accounts'],
  ['webhooks', 'sealed_secret', 'webhooks'],
] as const;

/**
 * Returns a sentence about what the encryption key with an id does not open, or nobody without a key (null); undefined
 * when it opens all. What a restore left without credentials does not count.
 */
export function* unopened(keyId: Uint8Array | null): Steps<string | undefined> {
  const wrong = keyId === null ? sql`` : sql`AND substr(sealed, 2, 4) <> ${keyId}`;
  const each = sealed.map(
    ([table, column, name]) => sql`SELECT ${name} AS name, count(*) AS number
      FROM (SELECT ${raw(column)} AS sealed FROM ${raw(table)}) AS stored
      WHERE length(sealed) > 5 ${wrong}`,
  );
  const found = yield* row<{ names: string | null }>(
    sql`SELECT string_agg(number || ' ' || name, ', ') AS names
      FROM (${join(each, ' UNION ALL ')}) AS counts WHERE number > 0`,
  );
  const names = found?.names ?? null;
  if (names === null) return undefined;
  return keyId === null
    ? `ENCRYPTION_KEY is not set, so the credentials of ${names} cannot be opened`
    : `ENCRYPTION_KEY is not the key with which the credentials of ${names} were stored: set that key, or add them again`;
}

/** The finding of the doctor about the encryption key in its environment; none without a key. */
export function* checkKey(keyId: Uint8Array | null): Steps<Finding[]> {
  const sentence = keyId === null ? undefined : yield* unopened(keyId);
  return sentence === undefined ? [] : findingsOf('encryption_key', [sentence]);
}
