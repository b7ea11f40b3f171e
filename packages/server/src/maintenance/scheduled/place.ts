import { constants, existsSync, closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { access, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir, devNull } from 'node:os';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import sql from 'sql-template-tag';
import { attachedFiles, bookIds, type AttachedFile } from '../../db/attached-files.ts';
import { row, type Engine } from '../../db/engine.ts';
import { fileTime, syncFile, syncFolderOf, temporaryName } from '../../db/sqlite/files.ts';
import { copyFiles } from '../../files/content.ts';
import type { S3StoreOptions } from '../../files/s3.ts';
import { noFileStore } from '../../files/store.ts';
import type { FileStore, FilesLocation, S3Location } from '../../files/store.ts';
import { backUpFiles, filesFolderOf } from '../backup-files.ts';
import type { BackupMessage, BackupTask } from './worker.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Unnamed } from '../backup.ts';

/** A backup that a thread made. */
type MadeInThread = Exclude<BackupMessage, { readonly error: Error }>;

/** The bundle has all its files in one folder. */
const entry = import.meta.url.endsWith('.ts') ? './worker.ts' : './backup-worker.js';

/**
 * Makes a backup in a new thread with its own connection, so that this thread serves requests meanwhile. An abort ends
 * the thread, and can leave a temporary file.
 */
async function backUpInThread(task: BackupTask, signal: AbortSignal): Promise<MadeInThread> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // Flags of the process, such as those of tests, are not for the worker.
    const worker = new Worker(new URL(entry, import.meta.url), { workerData: task, execArgv: [] });
    let failure = new Error('The thread that makes the backup ended too early');
    let made: MadeInThread | null = null;
    const end = (): void => void worker.terminate();
    signal.addEventListener('abort', end, { once: true });
    worker.on('message', (message: BackupMessage) => {
      if ('error' in message) failure = message.error;
      else made = message;
    });
    worker.on('error', (error) => {
      failure = error as Error;
    });
    worker.on('exit', () => {
      signal.removeEventListener('abort', end);
      if (made === null) reject(failure);
      else resolve(made);
    });
  });
}

/** What is backed up. */
export interface BackupSource {
  readonly database:
    | { readonly engine: 'sqlite'; readonly path: string }
    | { readonly engine: 'postgres'; readonly url: string };
  /** Where attached files are; null for the default of the database. */
  readonly files: FilesLocation | null;
  readonly store: FileStore;
}

/** A backup that was made. */
export interface MadeBackup {
  readonly bytes: number;
  /** How many attached files the database has. */
  readonly attached: number;
  /** Whether they are copied; those in a bucket are not. */
  readonly hasFiles: boolean;
  /** How many of them are missing or damaged. */
  readonly lost: number;
}

/** Where scheduled backups are: complete ones have a name with the time at which they began. */
export interface BackupPlace {
  nameOf(at: Date): string;
  make(engine: Engine, name: string, signal: AbortSignal): Promise<MadeBackup>;
  /** Returns the backups of this database, in any order. */
  names(): Promise<readonly string[]>;
  remove(name: string): Promise<void>;
  /** Removes what killed processes left behind, and files that no backup needs. Nothing may be made meanwhile. */
  sweep(): Promise<void>;
}

/** Opens the place for the backups of a database. */
export async function openPlace(
  source: BackupSource,
  to: FilesLocation,
  options: S3StoreOptions = {},
): Promise<BackupPlace> {
  return to.kind === 'folder'
    ? new FolderPlace(source, to.path)
    : openBucketPlace(source, to, options);
}

const madeName = /^\d{8}T\d{6}Z\.(bak|dump)$/;

/** Names backups after the database, so that those of others in the same place are left alone. */
class BackupNames {
  readonly stem: string;
  readonly #ending: string;

  constructor({ database }: BackupSource) {
    const isFile = database.engine === 'sqlite';
    const name = isFile ? basename(database.path, '.db') : new URL(database.url).pathname.slice(1);
    this.stem = name.replaceAll(/[^\w-]/g, '_') || 'coffer';
    this.#ending = isFile ? 'bak' : 'dump';
  }

  nameOf(at: Date): string {
    return `${this.stem}-${fileTime(at)}.${this.#ending}`;
  }

  has(name: string): boolean {
    const start = `${this.stem}-`;
    return name.startsWith(start) && madeName.test(name.slice(start.length));
  }
}

/** The place for files that a backup takes along; undefined for none. */
function filesToCopy({ files, store }: BackupSource): FilesLocation | null | undefined {
  return files?.kind === 's3' || store === noFileStore ? undefined : files;
}

async function allFiles(engine: Engine): Promise<AttachedFile[]> {
  const all: AttachedFile[] = [];
  for (const id of await engine.read(bookIds))
    all.push(...(await engine.read(() => attachedFiles(id))));
  return all;
}

class FolderPlace implements BackupPlace {
  readonly #source: BackupSource;
  readonly #folder: string;
  readonly #names: BackupNames;

  constructor(source: BackupSource, folder: string) {
    this.#source = source;
    this.#folder = folder;
    this.#names = new BackupNames(source);
  }

  nameOf(at: Date): string {
    return this.#names.nameOf(at);
  }

  async make(engine: Engine, name: string, signal: AbortSignal): Promise<MadeBackup> {
    const { database, store } = this.#source;
    const backup = join(this.#folder, name);
    const location = filesToCopy(this.#source);
    const hasFiles = location !== undefined;
    if (database.engine === 'sqlite') {
      const task = { database: database.path, backup, ...(hasFiles && { files: location }) };
      const { bytes, files, lost } = await backUpInThread(task, signal);
      return { bytes, attached: files.length, hasFiles, lost };
    }
    const started = await startDump(database.url, backup, signal);
    try {
      // After the dump: a file is deleted a day after nothing refers to it, so all that the dump needs are there.
      const files = await allFiles(engine);
      const copied = hasFiles ? await backUpFiles(files, store, backup, signal) : null;
      const { bytes } = started.finish();
      return { bytes, attached: files.length, hasFiles, lost: copied?.faults.size ?? 0 };
    } finally {
      started.discard();
    }
  }

  async names(): Promise<string[]> {
    return (await readdir(this.#folder)).filter((name) => this.#names.has(name));
  }

  async remove(name: string): Promise<void> {
    const backup = join(this.#folder, name);
    await rm(backup, { force: true });
    await rm(filesFolderOf(backup), { recursive: true, force: true });
  }

  async sweep(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const [, begun] = /^\.(.*)\.[0-9a-f-]{36}\.tmp(?:-journal)?$/.exec(name) ?? [];
      const [, files] = /^(.*)\.files$/.exec(name) ?? [];
      const isStray = files !== undefined && !existsSync(join(this.#folder, files));
      if (this.#names.has(begun ?? '') || (isStray && this.#names.has(files)))
        await rm(join(this.#folder, name), { recursive: true, force: true });
    }
  }
}

/**
 * A bucket has the backups, below `files/` the attached files of all of them, and for each backup a list of those that
 * it needs. The backup comes last, so one that is there is complete.
 */
async function openBucketPlace(
  source: BackupSource,
  to: S3Location,
  options: S3StoreOptions,
): Promise<BackupPlace> {
  const { createS3Store, openBucket } = await import('../../files/s3.ts');
  const bucket = openBucket(to, options);
  const copies = createS3Store({ ...to, prefix: `${to.prefix}files/` }, options);
  const names = new BackupNames(source);
  const { database, store } = source;
  const hasFiles = filesToCopy(source) !== undefined;
  const work =
    database.engine === 'sqlite' ? `${database.path}-backup` : join(tmpdir(), names.stem);
  const write = async (engine: Engine, backup: string, signal: AbortSignal) => {
    if (database.engine === 'sqlite')
      return backUpInThread({ database: database.path, backup }, signal);
    const started = await startDump(database.url, backup, signal);
    return { ...started.finish(), files: await allFiles(engine) };
  };
  const upload = async (files: readonly AttachedFile[], signal: AbortSignal) => {
    const known = new Set<string>();
    for await (const { key } of copies.list()) known.add(key);
    const missing = files.filter(({ key }) => !known.has(key));
    return copyFiles(missing, store, copies, { signal });
  };
  const list = async () => (await bucket.names()).filter((name) => names.has(name));
  return {
    nameOf: (at) => names.nameOf(at),
    async make(engine, name, signal) {
      await rm(work, { recursive: true, force: true });
      await mkdir(work, { mode: 0o700 });
      try {
        const backup = join(work, name);
        const { bytes, files } = await write(engine, backup, signal);
        const copied = hasFiles ? await upload(files, signal) : null;
        const needed = hasFiles ? files.map(({ key }) => key) : [];
        await bucket.put(filesFolderOf(name), Buffer.from(needed.join('\n')));
        await bucket.putFile(name, backup, signal);
        return { bytes, attached: files.length, hasFiles, lost: copied?.faults.size ?? 0 };
      } finally {
        await rm(work, { recursive: true, force: true });
      }
    },
    names: list,
    async remove(name) {
      await bucket.remove(name);
      await bucket.remove(filesFolderOf(name));
    },
    async sweep() {
      const needed = new Set<string>();
      for (const name of await list()) {
        const text = await bucket.get(filesFolderOf(name));
        // Without its list, nobody knows which files it needs.
        if (text === null) return;
        for (const key of Buffer.from(text).toString().split('\n')) needed.add(key);
      }
      // A list may lose its place when objects go meanwhile.
      const all = await Array.fromAsync(copies.list());
      for (const { key } of all) if (!needed.has(key)) await copies.remove(key);
    },
  };
}

/** Creates the folder of backups if it is missing. Returns why backups cannot be made, or null. */
export async function backupProblem(
  { database }: BackupSource,
  to: FilesLocation,
): Promise<string | null> {
  if (database.engine === 'sqlite' && database.path === ':memory:')
    return 'A database in memory has no backups: name a file with --database';
  if (database.engine === 'postgres')
    for (const program of ['pg_dump', 'pg_restore'] as const)
      if ((await versionOf(program)) === null)
        return `Backups of PostgreSQL need ${program}, which is not on the PATH of the server: install the client programs`;
  if (to.kind === 's3') return null;
  try {
    await mkdir(to.path, { recursive: true, mode: 0o700 });
    await access(to.path, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `The server cannot write to "${to.path}": ${(error as Error).message}`;
  }
}

/** Returns why the programs here cannot dump a PostgreSQL server, or null: they must not be older than it. */
export async function versionProblem(engine: Engine): Promise<string | null> {
  const found = await engine.read(() =>
    row<{ version: number }>(
      sql`SELECT CAST(current_setting('server_version_num') AS int) / 10000 AS version`,
    ),
  );
  const [server, own] = [found?.version ?? 0, (await versionOf('pg_dump')) ?? 0];
  if (own >= server) return null;
  return `pg_dump ${own} cannot dump the server, which is PostgreSQL ${server}: install pg_dump ${server} or newer`;
}

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
async function startDump(
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
async function versionOf(program: 'pg_dump' | 'pg_restore'): Promise<number | null> {
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
