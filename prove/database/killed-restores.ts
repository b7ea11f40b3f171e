import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { columnsOf } from '../../packages/server/src/db/testing/whole-database.ts';
import { readFile } from '../run/ledger.ts';
import { differences, digest } from './database-digest.ts';
import { killBetween, type KilledStates } from './killed-commands.ts';

export async function killRestores(
  folder: string,
  { backup, before }: Readonly<Record<'backup' | 'before', string>>,
  kills: number,
): Promise<KilledStates> {
  // Every restore generates a new identity.
  const all = Object.entries(columnsOf(before));
  const columns = Object.fromEntries(all.filter(([table]) => table !== 'database_identity'));
  const states = { columns, before: digest(before, columns), after: digest(backup, columns) };
  const args = (path: string): string[] => [
    ...['restore', backup, '--replace', '--database', `sqlite:${path}`],
  ];
  const known = [before, backup].map(identityOf);
  const between = [0, 1.6] as const;
  const command = { name: 'restore', folder, before, args, between, isRepeatable: true };
  return killBetween(command, kills, states, (place, isAfter) => {
    const wrong = isAfter ? asideProblems(place) : [];
    const isDrawn = !known.includes(identityOf(join(place, 'coffer.db')));
    return isDrawn === isAfter ? wrong : [...wrong, 'the identity does not match the database'];
  });

  /** The replaced database must exist under its new name, and only under that. */
  function asideProblems(place: string): string[] {
    const [aside] = readdirSync(place).filter((name) => name.startsWith('coffer.db.replaced-'));
    if (aside === undefined) return ['the old database is missing'];
    if (statSync(join(place, aside)).nlink !== 1) return ['the old database has two names'];
    return differences(states.before, digest(join(place, aside), columns));
  }
}

/** Returns the random id of a database, which a restore replaces. */
function identityOf(path: string): string | undefined {
  const identity = "SELECT value FROM database_identity WHERE name = 'id'";
  return readFile(path, (database) => database.prepare<[], string>(identity).pluck().get());
}
