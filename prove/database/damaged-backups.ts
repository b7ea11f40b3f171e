import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runCoffer } from '../../packages/cli/src/testing/run-coffer.ts';
import { integerFrom, randomFrom, type Random } from '../../test/service/random.ts';
import { readFile } from '../run/ledger.ts';

type Write = (file: string, sound: Buffer) => void;
type Damage = readonly [what: string, message: RegExp, write: Write];

const sqliteHeaderBytes = 100;
/** After the pages: a marker and the checksum. */
const trailerBytes = 48;
const unsound = /: it is (damaged: |truncated: |not an SQLite database|compressed )/;

/** The tests of restores have incomplete files, and files of other kinds. */
const kinds: readonly Damage[] = [
  [
    'a row was changed by hand',
    /: it is damaged: its checksum does not match/,
    altered('UPDATE transactions SET amount = amount + 1 WHERE id = 1'),
  ],
  [
    'it is of a newer program',
    /schema version 999, but this program supports at most \d+: run a newer version of Coffer/,
    // Like a database that was in use; the checksum of a changed backup would reveal the change.
    altered('PRAGMA journal_mode = WAL; PRAGMA user_version = 999'),
  ],
  [
    'it is the database of another program',
    /: it is an SQLite database, but not a Coffer database/,
    altered('CREATE TABLE bookmarks (url TEXT); PRAGMA user_version = 3', true),
  ],
  ['it is packed', unsound, (file, sound) => writeFileSync(file, gzipSync(sound, { level: 1 }))],
];

function altered(statements: string, isNew = false): Write {
  return (file, sound) => {
    writeFileSync(file, isNew ? '' : sound);
    readFile(file, (database) => database.exec(statements));
  };
}

/** Flips a bit between two places; without the second, anywhere in the pages after the first. */
function flipped(random: Random, from: number, to?: number): Damage {
  const write: Write = (file, sound) => {
    const bytes = Buffer.from(sound);
    const at = integerFrom(random, from, (to ?? bytes.length - trailerBytes) - 1);
    bytes[at]! ^= 1 << integerFrom(random, 0, 7);
    writeFileSync(file, bytes);
  };
  return [`a bit after ${from} is flipped`, unsound, write];
}

/** Damages a sound backup in `count` ways or more. Each must be refused with a clear message and no change. */
export async function refuseDamaged(
  folder: string,
  backup: string,
  count: number,
  seed: number,
): Promise<{ count: number; problems: string[] }> {
  const sound = readFileSync(backup);
  const file = join(folder, 'damaged.bak');
  const target = join(folder, 'target.db');
  const restore = (from: string, ...flags: readonly string[]) =>
    runCoffer(['restore', from, ...flags, '--database', `sqlite:${target}`]);
  const { code, stderr } = await restore(backup);
  if (code !== 0) throw new Error(`The sound backup is refused: ${stderr}`);
  const before = readFileSync(target);
  const problems: string[] = [];
  const random = randomFrom(seed);
  const flips = Array.from({ length: count }, () => flipped(random, sqliteHeaderBytes));
  const damages = [...kinds, flipped(random, 0, 16), ...flips];
  for (const [what, message, write] of damages) {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    write(file, sound);
    const said = await restore(file, '--replace');
    if (said.code !== 1 || !message.test(said.stderr) || said.stdout !== '')
      problems.push(`${what}: ended with ${said.code} and printed ${said.stderr}${said.stdout}`);
    if (!readFileSync(target).equals(before)) problems.push(`${what}: the target was changed`);
  }
  return { count: damages.length, problems };
}
