import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkDatabase } from '../../packages/server/src/maintenance/doctor.ts';
import type { Engine } from '../../packages/server/src/db/engine.ts';
import { cofferProgram, runProgram, whose } from '../../test/service/coffer.ts';
import { inFolder, useStore, addOwner } from '../../test/service/owners.ts';
import { randomFrom, integerFrom, type Random } from '../../test/service/random.ts';
import { withSynced } from '../../test/service/server-process.ts';
import { readAccount } from '../../test/service/synced-accounts.ts';
import type { Check } from '../run/check.ts';
import { inspect, Ledger, lossProblems, writeStatement } from '../run/ledger.ts';
import { startTracedServer } from './faulty-server.ts';
import { writerProgram } from './store-writer.ts';

const seed = 2;
/** A small log is checkpointed every few batches, so that many cuts happen while pages go to the database file. */
const smallLog = 'PRAGMA wal_autocheckpoint = 60;';
const unsafe = `${smallLog} PRAGMA synchronous = NORMAL`;

/** Simulates power cuts on the writes and syncs of the engine, as recorded by strace. */
export const check: Check = {
  id: 'F2',
  needs: ['strace'],
  rounds: { short: 8, full: 400 },
  run: async (rounds) => {
    const random = randomFrom(seed);
    const half = Math.ceil(rounds / 2);
    const quarter = Math.ceil(rounds / 4);
    const batches = 20 + quarter;
    const surveys = [
      await survey(half, random, (folder) => recordWriter(folder, batches, smallLog)),
      await survey(quarter, random, (folder) => recordImport(folder, batches)),
      await survey(quarter, random, (folder) => recordServer(folder, batches)),
    ];
    const control = await survey(half, random, (folder) => recordWriter(folder, batches, unsafe));
    const problems = surveys.flatMap((each) => each.problems);
    const cuts = surveys.reduce((sum, each) => sum + each.cuts, 0);
    const figure =
      `${cuts} cuts, half of them keep a random part of the unsynced writes: ${problems.length} with a loss; ` +
      `with synchronous=NORMAL ${control.problems.length} of ${control.cuts} (seed ${seed})`;
    if (control.problems.length === 0)
      problems.push(
        'the same cuts with synchronous = NORMAL lost nothing: this check detects nothing',
      );
    return { figure, problems };
  },
};

function survey(cuts: number, random: Random, record: (folder: string) => Promise<Recording>) {
  return inFolder(async (folder) => {
    const recording = await record(folder);
    const problems: string[] = [];
    for (const cut of cutPower(recording.deeds, recording.before, cuts, random))
      problems.push(...(await problemsAfter(cut, recording)));
    return { cuts, problems };
  });
}

async function problemsAfter(cut: Cut, { database, deeds, losses }: Recording): Promise<string[]> {
  const { position, survival, image } = cut;
  for (const file of [database, `${database}-wal`, `${database}-shm`])
    rmSync(file, { force: true });
  for (const [file, content] of image) writeFileSync(file, content);
  const said = saidIn(deeds.slice(0, position));
  const failed = (error: unknown): string[] => [String(error)];
  const wrong = [
    ...inspect(database).faults,
    ...(await losses(said).catch(failed)),
    ...(await useStore(database, findingsOf).catch(failed)),
  ];
  const where = `cut after ${position} of ${deeds.length} calls, ${survival} of the unsynced writes kept`;
  return wrong.length === 0 ? [] : [`${where}: ${wrong.join('; ')}`];
}

async function findingsOf(store: Engine): Promise<string[]> {
  const findings = await checkDatabase(store, { repair: false });
  return findings.map(({ check: name, detail }) => `the doctor finds ${name}: ${detail}`);
}

type Recording = Awaited<ReturnType<typeof recordBatches>>;

const rowCount = 5;
const accountCount = 3;

async function recordWriter(folder: string, count: number, script: string) {
  const database = join(folder, 'coffer.db');
  const { bookId } = await useStore(database, (store) => addOwner(store, 'owner'));
  const order = { database, bookId, batchCount: count, rowCount, script };
  return recordBatches(database, writerProgram(order), count, /^ACK \d+$/gm);
}

/** Records `coffer import` with `count` files; the line that it prints for a file acknowledges it. */
async function recordImport(folder: string, count: number) {
  const database = join(folder, 'coffer.db');
  const owner = await useStore(database, (store) => addOwner(store, 'owner'));
  const files = Array.from({ length: count }, (_, n) => writeStatement(folder, n + 1, rowCount));
  const args = ['import', '--json', ...whose(owner, database), ...files];
  return recordBatches(database, [...cofferProgram, ...args], count, /^{"import_id":/gm);
}

/** Each match of `acknowledgement` in the output of the program acknowledges the next batch, from 1 to `count`. */
async function recordBatches(
  database: string,
  program: readonly string[],
  count: number,
  acknowledgement: RegExp,
) {
  const before = imageOf(database);
  const prefix = join(database, '../trace');
  const { code, stderr } = await runProgram([...recorder(prefix), ...program]);
  if (code !== 0) throw new Error(`The recorded program ended with ${code}: ${stderr}`);
  const deeds = readRecording(prefix, database);
  const acknowledged = (said: readonly string[]): number =>
    said.reduce((sum, text) => sum + [...text.matchAll(acknowledgement)].length, 0);
  if (acknowledged(saidIn(deeds)) !== count) throw new Error('The recording is incomplete');
  const losses = (said: readonly string[]): Promise<string[]> => {
    const ledger = new Ledger();
    for (let batch = 1; batch <= count; batch += 1) ledger.send(rowCount);
    for (let batch = acknowledged(said); batch >= 1; batch -= 1) ledger.acknowledge(batch);
    const problems = lossProblems(ledger.compare(inspect(database).batches), 'batches');
    return Promise.resolve(problems);
  };
  return { database, deeds, before, losses };
}

/** Records a server that refreshes accounts `count` times; a 200 response acknowledges a refresh. */
async function recordServer(folder: string, count: number) {
  const database = join(folder, 'coffer.db');
  return withSynced({ database }, accountCount, async ({ accounts }) => {
    const before = imageOf(database);
    const prefix = join(folder, 'trace');
    const server = await startTracedServer({
      database,
      flags: ['--rate-limit', '1000000'],
      environment: accounts.environment,
      runner: recorder(prefix),
    });
    try {
      for (let n = 0; n < count; n += 1) await accounts.refresh(server.url, n % accountCount);
    } finally {
      await server.end('SIGTERM');
    }
    const deeds = readRecording(prefix, database);
    if (readingsIn(saidIn(deeds)).size !== accountCount)
      throw new Error('The recording is incomplete');
    const losses = async (said: readonly string[]): Promise<string[]> =>
      lossProblems(await accounts.compare(readingsIn(said)), 'refreshes');
    return { database, deeds, before, losses };
  });
}

function readingsIn(said: readonly string[]): Map<number, number> {
  const readings = new Map<number, number>();
  for (const text of said) {
    if (!text.startsWith('HTTP/1.1 200') || !text.includes('"balances"')) continue;
    const { id, reading } = readAccount(text.slice(text.indexOf('\r\n\r\n') + 4));
    readings.set(id, reading ?? NaN);
  }
  return readings;
}

/** A database that was closed normally is one file. */
function imageOf(database: string): Image {
  return new Map([[database, readFileSync(database)]]);
}

/** Which of the writes that were not synced reach the disk. */
type Survival = 'none' | 'some';

/** Files by name, as they are on the disk after a power cut. */
type Image = ReadonlyMap<string, Buffer>;

interface Cut {
  readonly position: number;
  readonly survival: Survival;
  readonly image: Image;
}

type Change = Extract<Deed, { kind: 'write' | 'truncate' }>;

/** A drive may write a part of a write, but never a part of a sector. */
const sectorBytes = 512;
const tornShare = 0.25;

/** A disk that keeps only synced writes for certain. */
class Disk {
  readonly #durable = new Map<string, Buffer>();
  readonly #pending = new Map<string, Change[]>();

  constructor(image: Image) {
    // Copied, because writes change it in place.
    for (const [file, content] of image) this.#durable.set(file, Buffer.from(content));
  }

  do(deed: Deed): void {
    if (deed.kind === 'say') return;
    const { file } = deed;
    if (deed.kind === 'remove') {
      this.#durable.delete(file);
      this.#pending.delete(file);
    } else if (deed.kind === 'sync') {
      for (const change of this.#pending.get(file) ?? []) this.#apply(change);
      this.#pending.delete(file);
    } else {
      const pending = this.#pending.get(file);
      if (pending === undefined) this.#pending.set(file, [deed]);
      else pending.push(deed);
    }
  }

  cut(survival: Survival, random: Random): Image {
    const image = new Map(this.#durable);
    if (survival === 'none') return image;
    for (const change of [...this.#pending.values()].flat()) {
      if (random() < 0.5) continue;
      const { file } = change;
      // Copied before the first change, because the disk continues.
      const before = image.get(file) ?? Buffer.alloc(0);
      const content = before === this.#durable.get(file) ? Buffer.from(before) : before;
      image.set(file, changed(content, torn(change, random)));
    }
    return image;
  }

  #apply(change: Change): void {
    const content = this.#durable.get(change.file) ?? Buffer.alloc(0);
    this.#durable.set(change.file, changed(content, change));
  }
}

/**
 * Cuts the power at `count` random places of a recording. In every other cut, some unsynced writes survive. `before` is
 * the content of the disk at the start of the recording. An image is valid until the next one is requested.
 */
function* cutPower(deeds: readonly Deed[], before: Image, count: number, random: Random) {
  const positions = Array.from({ length: count }, () => integerFrom(random, 0, deeds.length));
  const disk = new Disk(before);
  let done = 0;
  for (const [index, position] of positions.toSorted((a, b) => a - b).entries()) {
    for (; done < position; done += 1) disk.do(deeds[done]!);
    const survival: Survival = index % 2 === 0 ? 'none' : 'some';
    yield { position, survival, image: disk.cut(survival, random) };
  }
}

function changed(content: Buffer, change: Change): Buffer {
  const end = change.kind === 'write' ? change.offset + change.data.length : change.size;
  const isGrown = end > content.length;
  const result = isGrown ? Buffer.concat([content, Buffer.alloc(end - content.length)]) : content;
  if (change.kind === 'truncate') return result.subarray(0, end);
  change.data.copy(result, change.offset);
  return result;
}

function torn(change: Change, random: Random): Change {
  if (change.kind === 'truncate' || random() >= tornShare) return change;
  const { offset, data } = change;
  const first = Math.ceil((offset + 1) / sectorBytes) * sectorBytes;
  const last = Math.floor((offset + data.length - 1) / sectorBytes) * sectorBytes;
  if (first > last) return change;
  const cutAt = first + integerFrom(random, 0, (last - first) / sectorBytes) * sectorBytes - offset;
  if (random() < 0.5) return { ...change, data: data.subarray(0, cutAt) };
  return { ...change, offset: offset + cutAt, data: data.subarray(cutAt) };
}

/** A call of a process: on a file of the database, or output. */
type Deed =
  | {
      readonly kind: 'write';
      readonly file: string;
      readonly offset: number;
      readonly data: Buffer;
    }
  | { readonly kind: 'truncate'; readonly file: string; readonly size: number }
  | { readonly kind: 'sync'; readonly file: string }
  | { readonly kind: 'remove'; readonly file: string }
  | { readonly kind: 'say'; readonly text: string };

const calls = 'pwrite64,write,writev,fdatasync,fsync,ftruncate,unlink';

function recorder(prefix: string): string[] {
  // One file for each thread: the engine runs in one thread, so its calls are in order.
  const options = ['-ff', '--seccomp-bpf', '-qq', '-y', '-xx', '-s', '4000000'];
  return ['strace', ...options, '-e', `trace=${calls}`, '-o', prefix];
}

/** Reads the files of {@link recorder}. Of several threads, the one that wrote to the database counts. */
function readRecording(prefix: string, database: string): Deed[] {
  const recordings = globSync(`${prefix}.*`)
    .map((file) => deedsOf(readFileSync(file, 'latin1'), database))
    .filter((deeds) => deeds.some(({ kind }) => kind === 'write'));
  if (recordings.length !== 1)
    throw new Error(`${recordings.length} threads wrote to the database instead of one`);
  return recordings[0]!;
}

function saidIn(deeds: readonly Deed[]): string[] {
  return deeds.flatMap((deed) => (deed.kind === 'say' ? [deed.text] : []));
}

function deedsOf(text: string, database: string): Deed[] {
  return text.split('\n').flatMap((line): Deed[] => {
    const deed = deedOf(line);
    if (deed === null) return [];
    if (deed.kind === 'say') return [deed];
    return deed.file === database || deed.file === `${database}-wal` ? [deed] : [];
  });
}

const linePattern = /^(\w+)\((.*)\) += (-?\d+)/;
const descriptorPattern = /^(\d+)<([^>]*)>(?:, )?/;

/** Returns the call in a line; null for a call that failed or is not of interest. */
function deedOf(line: string): Deed | null {
  const [, call = '', text = '', result = ''] = linePattern.exec(line) ?? [];
  if (call === '' || Number(result) < 0) return null;
  if (call === 'unlink') return { kind: 'remove', file: stringsOf(text).toString() };
  const [whole, , hexName = ''] = descriptorPattern.exec(text) ?? [''];
  const file = unescape(hexName).toString();
  const rest = text.slice(whole.length);
  switch (call) {
    case 'pwrite64': {
      const offset = Number(rest.slice(rest.lastIndexOf(' ') + 1));
      return { kind: 'write', file, offset, data: stringsOf(rest).subarray(0, Number(result)) };
    }
    case 'ftruncate':
      return { kind: 'truncate', file, size: Number(rest) };
    case 'fsync':
    case 'fdatasync':
      return { kind: 'sync', file };
    default:
      // Messages between threads are not output.
      return file.startsWith('anon_inode:')
        ? null
        : { kind: 'say', text: stringsOf(rest).toString() };
  }
}

function stringsOf(text: string): Buffer {
  const strings = text.match(/"[^"]*"(\.\.\.)?/g) ?? [];
  if (strings.some((quoted) => quoted.endsWith('...'))) throw new Error('strace shortened a write');
  return Buffer.concat(strings.map((quoted) => unescape(quoted.slice(1, -1))));
}

/** Decodes `\x41\x42`. */
function unescape(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex');
}
