import { settings } from '@coffer/server';
import type { DatabaseConfig } from '@coffer/server';

/** What a command that is shown to the user needs behind it to work on that database; empty for the usual one. */
export function databaseArgument(database: DatabaseConfig): string {
  const { flag, variable, fallback } = settings.database;
  // Its URL may carry a password.
  if (database.engine === 'postgres') return ` ${flag} "$${variable}"`;
  const url = `sqlite:${database.path}`;
  return url === fallback ? '' : ` ${flag} ${shellWord(url)}`;
}

/** A text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
