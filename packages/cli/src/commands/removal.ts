import { parseFilesLocation } from '@coffer/server/src/files/store.ts';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openFiles } from '@coffer/server/src/files/open.ts';
import { settings } from '@coffer/server/src/settings.ts';
import type { DatabaseConfig } from '@coffer/server/src/config.ts';
import type { FileStore } from '@coffer/server/src/files/store.ts';
import type { RemovalSummary } from '@coffer/server/src/maintenance/user-removal.ts';
import { writeLine, type CommandContext } from '../terminal/context.ts';
import { readSetting } from './environment.ts';
import { count, listed, quote } from '../terminal/format.ts';

/** Runs a removal with the place of attached files, and reports it on stderr with all that may be left. */
export async function reportRemoval(
  what: string,
  config: DatabaseConfig,
  context: CommandContext,
  remove: (files: FileStore) => Promise<RemovalSummary>,
): Promise<void> {
  const path = config.engine === 'sqlite' ? config.path : null;
  const { variable } = settings.files;
  const text = context.environment[variable] ?? '';
  const { store, close } = await openFiles(readSetting(variable, text, parseFilesLocation), path);
  const { isErased, files } = await remove(store).finally(close);
  const write = (sentence: string): void => writeLine(context.stderr, sentence);
  write(`Removed ${what}${files === 0 ? '' : `, and ${count(files, 'attached file')}`}`);
  if (!isErased)
    write(
      'Unused parts of the database file may still have traces of it, because others use it all the time. The server overwrites them',
    );
  const copies = path === null ? [] : copiesOf(path);
  if (copies.length > 0)
    write(`Older copies of the database may have it: ${listed(copies.map(quote))}`);
}

/** Returns the copies that an upgrade, a restore or a move has left next to a database. */
function copiesOf(path: string): string[] {
  const name = basename(path);
  return readdirSync(dirname(path))
    .filter((each) => each.startsWith(`${name}.before-`) || each.startsWith(`${name}.replaced-`))
    .map((each) => join(dirname(path), each))
    .toSorted();
}
