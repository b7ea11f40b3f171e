import { readFileSync, writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type Database from 'better-sqlite3';
import { runCommandLine } from '../../packages/cli/src/command-line.ts';
import type { Said } from '../../test/service/coffer.ts';
import { readFile } from '../run/ledger.ts';
import { integerFrom, type Random, randomFrom } from '../../test/service/random.ts';

interface DamagedBackup {
  readonly what: string;
  readonly message: RegExp;
  readonly write: (path: string, sound: Buffer) => void;
}

const headerBytes = 100;
/** After the pages: a marker and the checksum. */
const trailerBytes = 48;
const unsound =
  /: it is (damaged: |truncated: |not an SQLite database|compressed |empty|an SQLite database, but not a Coffer)/;

/** Returns every kind of damage once, and then flipped bits of the pages, `count` in total. */
function damagedBackups(count: number, random: Random): DamagedBackup[] {
  const flips = Array.from({ length: Math.max(0, count - kinds.length) }, () => ({
    what: 'a bit of a page is flipped',
    message: unsound,
    write: flipped(random, headerBytes),
  }));
  const inHeader = {
    what: 'a bit of the header is flipped',
    message: unsound,
    write: flipped(random, 0, 16),
  };
  return [...kinds, inHeader, ...flips].slice(0, count);
}

const kinds: readonly DamagedBackup[] = [
  {
    what: 'a row was changed by hand',
    message: /: it is damaged: its checksum does not match/,
    write: (path, sound) =>
      altered(path, sound, (database) => {
        database.exec(
          'UPDATE transactions SET amount = amount + 1 WHERE id = (SELECT max(id) FROM transactions)',
        );
      }),
  },
  damaged('a page was overwritten', (sound) => {
    const bytes = Buffer.from(sound);
    return bytes.fill(0xa5, bytes.length >> 1, (bytes.length >> 1) + 4096);
  }),
  damaged('the end is missing', (sound) => sound.subarray(0, Math.floor(sound.length * 0.7))),
  {
    what: 'it is of a newer program',
    message:
      /schema version 999, but this program supports at most \d+: run a newer version of Coffer/,
    write: (path, sound) =>
      altered(path, sound, (database) => {
        // Like a database that was in use; the checksum of a changed backup would reveal the change.
        database.pragma('journal_mode = WAL');
        database.pragma('user_version = 999');
      }),
  },
  {
    what: 'it is the database of another program',
    message: /: it is an SQLite database, but not a Coffer database/,
    write: (path, sound) =>
      altered(path, sound.subarray(0, 0), (database) => {
        database.exec('CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 3');
      }),
  },
  damaged('it is empty', () => Buffer.alloc(0)),
  damaged('it is packed', (sound) => gzipSync(sound, { level: 1 })),
  damaged('it is a text', () =>
    Buffer.from('-- Coffer\nINSERT INTO users VALUES (1);\n'.repeat(99)),
  ),
];

function damaged(what: string, damage: (sound: Buffer) => Buffer): DamagedBackup {
  return { what, message: unsound, write: (path, sound) => writeFileSync(path, damage(sound)) };
}

/** Flips a bit between two places; without the second, anywhere in the pages after the first. */
function flipped(random: Random, from: number, to?: number): DamagedBackup['write'] {
  return (path, sound) => {
    const bytes = Buffer.from(sound);
    const at = integerFrom(random, from, (to ?? bytes.length - trailerBytes) - 1);
    bytes[at] = bytes[at]! ^ (1 << integerFrom(random, 0, 7));
    writeFileSync(path, bytes);
  };
}

function altered(path: string, sound: Buffer, change: (database: Database.Database) => void): void {
  writeFileSync(path, sound);
  readFile(path, change);
}

const leastDamaged = 9;

/** Damages a sound backup in `count` ways, at least nine. Each must be refused with a clear message and no change. */
export async function refuseDamaged(
  folder: string,
  backup: string,
  count: number,
  seed: number,
): Promise<{ count: number; problems: string[] }> {
  const sound = readFileSync(backup);
  const file = join(folder, 'damaged.bak');
  const target = join(folder, 'target.db');
  const { code, stderr } = await restore(backup, target);
  if (code !== 0) throw new Error(`The sound backup is refused: ${stderr}`);
  const before = readFileSync(target);
  const problems: string[] = [];
  const damaged = damagedBackups(Math.max(leastDamaged, count), randomFrom(seed));
  for (const { what, message, write } of damaged) {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    writeFileSync(file, '');
    write(file, sound);
    const said = await restore(file, target, '--replace');
    if (said.code !== 1 || !message.test(said.stderr) || said.stdout !== '')
      problems.push(`${what}: ended with ${said.code} and printed ${said.stderr}${said.stdout}`);
    if (!readFileSync(target).equals(before)) problems.push(`${what}: the target was changed`);
  }
  return { count: damaged.length, problems };
}

/** Runs the command in this process, because starting a process takes longer than the refusal. */
async function restore(file: string, target: string, ...flags: readonly string[]): Promise<Said> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCommandLine(['restore', file, ...flags, '--database', `sqlite:${target}`], {
    ...{ stdout, stderr, stdin: Readable.from([]) },
    ...{ isTerminal: false, environment: {}, now: () => new Date() },
  });
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}
