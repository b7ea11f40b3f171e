import { execFile } from 'node:child_process';
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { devNull } from 'node:os';
import { promisify } from 'node:util';
import { syncFile, syncFolderOf, temporaryName } from '../../db/sqlite/files.ts';
import type { Unnamed } from '../backup.ts';

const execute = promisify(execFile);

/** A dump failed; the message is what the program wrote. */
class DumpError extends Error {
  override name = 'DumpError';
}

/**
 * Writes a dump of a PostgreSQL database to a file, which gets its name later, when all of it was read again.
 *
 * The password of the URL goes to the program in its environment: every user of a machine can read arguments. Rejects
 * with a {@link DumpError} or a system error; then no file remains.
 */
export async function startDump(
  url: string,
  file: string,
  signal: AbortSignal,
): Promise<Unnamed<{ readonly bytes: number }>> {
  const temporary = temporaryName(file);
  const discard = (): void => rmSync(temporary, { force: true });
  const { bare, password } = withoutPassword(url);
  try {
    // The program keeps the mode of a file that exists.
    closeSync(openSync(temporary, 'wx', 0o600));
    const args = ['--format=custom', '--no-password', `--file=${temporary}`, `--dbname=${bare}`];
    await run('pg_dump', args, signal, password);
    // A list of its contents would not read the rows.
    await run('pg_restore', [`--file=${devNull}`, temporary], signal);
    const bytes = syncFile(temporary);
    const finish = () => {
      renameSync(temporary, file);
      syncFolderOf(file);
      return { bytes };
    };
    return { path: temporary, finish, discard };
  } catch (error) {
    discard();
    throw error;
  }
}

/** Returns the major version of a program of PostgreSQL; null if it is not there. */
export async function versionOf(program: 'pg_dump' | 'pg_restore'): Promise<number | null> {
  const { stdout } = await execute(program, ['--version']).catch(() => ({ stdout: '' }));
  const [, major] = /\s(\d+)/.exec(stdout) ?? [];
  return major === undefined ? null : Number(major);
}

function withoutPassword(text: string): { readonly bare: string; readonly password: string } {
  const url = new URL(text);
  const password = url.searchParams.get('password') ?? decodeURIComponent(url.password);
  url.searchParams.delete('password');
  url.password = '';
  return { bare: url.href, password };
}

async function run(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
  password = '',
): Promise<void> {
  const env = { ...process.env, ...(password !== '' && { PGPASSWORD: password }) };
  try {
    await execute(program, args, { env, signal });
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    const said = stderr.trim() === '' ? message : stderr.trim();
    throw new DumpError(said.split('\n').slice(0, 3).join('; '), { cause: error });
  }
}
