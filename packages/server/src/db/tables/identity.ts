import { randomBytes } from 'node:crypto';
import sql, { raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { databaseIdentity } from './tables.ts';

/**
 * Gives the database a new random id of 32 hexadecimal digits.
 *
 * The id is part of what clients keep, such as ETags and positions in the change feed. A copy of the database uses the
 * same version numbers for different changes, so it needs its own id.
 */
export function drawIdentity(): Sql {
  return sql`UPDATE ${raw(databaseIdentity.name)} SET value = ${randomBytes(16).toString('hex')} WHERE name = 'id'`;
}
