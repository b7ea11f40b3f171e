import { randomBytes } from 'node:crypto';
import sql, { raw } from 'sql-template-tag';
import { row, run } from '../db/engine.ts';
import type { Steps } from '../db/engine.ts';
import { find } from '../db/rows.ts';
import { accountNumbers, databaseIdentity } from '../db/tables/tables.ts';
import { Findings } from './finding.ts';
import type { Finding } from './finding.ts';

/** What is lost without each random text of a database. */
const uses = {
  id: 'clients take another database for it',
  file_links: 'no link to an attached file works',
  account_numbers: 'imports do not know the accounts of files',
} as const;

const pattern = /^[0-9a-f]{32}$/;

/**
 * Checks the random texts that a database needs. A repair makes a new one, except the key of account numbers while
 * there are hashes that were made with it.
 */
export function* checkKeys(repair: boolean): Steps<Finding[]> {
  const [made, left] = [new Findings('keys', { repaired: repair }), new Findings('keys')];
  for (const [name, loss] of Object.entries(uses)) {
    const found = yield* find(databaseIdentity, { name });
    if (found !== undefined && pattern.test(found.value)) continue;
    const state = found === undefined ? 'is missing' : 'is not 32 hexadecimal digits';
    const isMade = repair && !(name === 'account_numbers' && (yield* hasHashes()));
    (isMade ? made : left).add(`The text "${name}" of the database ${state}: ${loss}`);
    if (isMade) yield* draw(name);
  }
  return [...made.list(), ...left.list()];
}

function* hasHashes(): Steps<boolean> {
  const found = yield* row(sql`SELECT id FROM ${raw(accountNumbers.name)} LIMIT 1`);
  return found !== undefined;
}

function* draw(name: string): Steps<void> {
  yield* run(sql`
    INSERT INTO ${raw(databaseIdentity.name)} (name, value) VALUES (${name}, ${randomBytes(16).toString('hex')})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`);
}
