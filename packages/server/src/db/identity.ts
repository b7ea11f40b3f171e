import { randomBytes } from 'node:crypto';
import sql, { raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { databaseIdentity } from './tables.ts';

/**
 * Gives the database a new random id of 32 hexadecimal digits.
 *
 * The id is part of what clients keep, such as ETags, and of positions in the feed of changes. A copy that goes on by
 * itself takes the same versions for other changes, so it needs another id.
 */
export function drawIdentity(): Sql {
  return sql`UPDATE ${raw(databaseIdentity.name)} SET value = ${randomBytes(16).toString('hex')} WHERE name = 'id'`;
}
