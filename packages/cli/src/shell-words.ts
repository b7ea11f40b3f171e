import { parseDatabase, settings } from '@coffer/server';
import type { DatabaseConfig } from '@coffer/server';

/** What a command that is shown to the user needs behind it to work on that database; empty for the usual one. */
export function databaseArgument({ engine, path }: DatabaseConfig): string {
  if (path === parseDatabase(settings.database.fallback).path) return '';
  return ` ${settings.database.flag} ${shellWord(`${engine}:${path}`)}`;
}

/** A text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
