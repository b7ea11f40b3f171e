import { createHash } from 'node:crypto';
import { rm, writeFile, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listenHere } from '../../packages/core/src/testing/starts.ts';
import { exportBook } from '../../packages/server/src/exports/lists/export.ts';
import { whose, cofferProgram, runProgram, type Said } from '../../test/service/coffer.ts';
import { addOwner, useStore } from '../../test/service/owners.ts';
import { withServer, type Served } from '../../test/service/server-process.ts';
import {
  acceptedMs,
  commandsMissing,
  counted,
  named,
  type Check,
  type Outcome,
} from '../run/check.ts';
import { readBeside } from '../run/paced-reads.ts';
import { hostileArchives } from './hostile-archives.ts';
import { hostileMarkup } from './hostile-markup.ts';
import { writeContent, type HostileFile } from './hostile-content.ts';
import { hostileTables } from './hostile-tables.ts';

const longestMs = 2_000;
const mostMoreBytes = 100 * 2 ** 20;
const longestDelayMs = 100;
const timeoutMs = 120_000;
const plainImports = 2;
const plainTable = 'Date,Amount,Payee\n2024-01-31,-5.00,x\n';
const flags = ['--rate-limit', '1000000'];

export const check: Check = {
  id: 'F22',
  rounds: { short: 4, full: 1_000 },
  run: (rounds) => withServer({ flags }, (served) => runAll(rounds, served)),
};

/** The databases of the imports: a book that must not change, and one for valid files. */
interface Ground {
  readonly folder: string;
  readonly database: string;
  readonly refused: readonly string[];
  readonly read: readonly string[];
  readonly plainBytes: number;
  readonly mostMs: number;
}

async function runAll(rounds: number, served: Served): Promise<Outcome> {
  const target = { url: served.server.url, token: served.owner.token, paths: ['/v2/transactions'] };
  let requests = 0;
  const canary = await listenHere(
    createServer((_request, response) => {
      requests += 1;
      response.end();
    }),
  );
  const url = `${canary.url}/`;
  try {
    const plain = await readBeside(target, () => prepare(served));
    const ground = { ...plain.result, mostMs: acceptedMs(longestMs, check, rounds) };
    const { result: found, times } = await readBeside(target, () =>
      Array.fromAsync(chosen(hostileFiles(url), rounds), (file) => tryFile(file, ground)),
    );
    const problems = [
      ...plain.times.failures,
      ...times.failures,
      ...found.flatMap((each) => each.problems),
      ...(await problemsOfTrace(ground, url, rounds)),
      ...counted(requests, 'requests were sent by imports'),
    ];
    if (times.p99Ms - plain.times.p99Ms > acceptedMs(longestDelayMs, check, rounds))
      problems.push(`p99 of reads was ${times.p99Ms} ms`);
    const [hostileMs, plainMs] = [times, plain.times].map(({ p99Ms }) => Math.round(p99Ms));
    const beside = `p99 of reads meanwhile ${hostileMs} ms (plain import: ${plainMs} ms)`;
    return { figure: `${figureOf(found, ground.plainBytes)}, ${beside}`, problems };
  } finally {
    await canary.close();
  }
}

function hostileFiles(url: string): HostileFile[] {
  return [...hostileMarkup(url), ...hostileArchives(), ...hostileTables()];
}

async function prepare({ folder, database, owner }: Served): Promise<Omit<Ground, 'mostMs'>> {
  const readDatabase = join(folder, 'read.db');
  const reader = await useStore(readDatabase, (store) => addOwner(store, 'reader'));
  const read = whose(reader, readDatabase);
  let plainBytes = 0;
  for (let left = plainImports; left > 0; left -= 1) {
    const plain = await importOf(folder, read, { name: 'plain.csv', pieces: [plainTable] });
    if (plain.code !== 0) throw new Error(`A plain import failed: ${plain.stderr}`);
    plainBytes = Math.max(plainBytes, plain.peakBytes);
  }
  return { folder, database, refused: whose(owner, database), read, plainBytes };
}

function bookDigest(database: string): Promise<string> {
  return useStore(database, async (store) => {
    const { transactions, ...book } = await exportBook(store, 1);
    const hash = createHash('sha256').update(JSON.stringify({ ...book, startedAt: null }));
    for await (const block of transactions({ withMetadata: true })) hash.update(block);
    return hash.digest('hex');
  });
}

interface Found {
  readonly file: HostileFile;
  readonly measured: Measured;
  readonly problems: readonly string[];
}

function figureOf(found: readonly Found[], plainBytes: number): string {
  const read = found.filter(({ file }) => typeof file.becomes === 'number').length;
  const peak = Math.max(...found.map(({ measured }) => measured.peakBytes));
  const short = found.filter(({ file }) => file.isLong !== true);
  const slowest = Math.max(...short.map(({ measured }) => measured.cpuMs));
  const more = Math.round((peak - plainBytes) / 2 ** 20);
  const times = `slowest ${(slowest / 1000).toFixed(1)} s, ${more} MiB more than a plain import`;
  return `${found.length} files, ${found.length - read} refused, ${read} valid and imported, ${times}`;
}

function chosen(files: readonly HostileFile[], most: number): HostileFile[] {
  if (most >= files.length) return [...files];
  const quick = files.filter(({ isLong }) => isLong !== true);
  return Array.from({ length: most }, (_, at) => quick[Math.floor((at * quick.length) / most)]!);
}

async function importOf(
  folder: string,
  options: readonly string[],
  { name, ...content }: { readonly name: string } & HostileFile['content'],
): Promise<Measured> {
  const path = join(folder, name);
  await writeContent(path, content);
  try {
    return await measuredImport(path, options, timeoutMs);
  } finally {
    await rm(path, { force: true });
  }
}

async function tryFile(file: HostileFile, ground: Ground): Promise<Found> {
  const { name, becomes, content } = file;
  const isRead = typeof becomes === 'number';
  const before = await bookDigest(ground.database);
  const account = ['--account', name.slice(0, 45)];
  const options = [...(isRead ? ground.read : ground.refused), ...account];
  const measured = await importOf(ground.folder, options, { name, ...content });
  const { code, stdout, stderr, cpuMs, peakBytes } = measured;
  const moreBytes = peakBytes - ground.plainBytes;
  const wrong: readonly (readonly [isWrong: boolean, what: string])[] = [
    [code !== (isRead ? 0 : 1), `ended with ${code}: ${stderr.slice(0, 200)}`],
    [isRead && !stdout.includes(`,"imported":${becomes},`), `printed ${stdout}`],
    [!isRead && !becomes.test(stderr), `said ${stderr.slice(0, 300)}`],
    [/[^\n\P{Cc}]/u.test(stdout + stderr), 'wrote control characters to the terminal'],
    [stderr.includes('    at '), 'printed a stack trace'],
    [(await bookDigest(ground.database)) !== before, 'changed the book'],
    [cpuMs > ground.mostMs && file.isLong !== true, `took ${Math.round(cpuMs)} ms`],
    [moreBytes > mostMoreBytes, `took ${Math.round(moreBytes / 2 ** 20)} MiB more`],
  ];
  const problems = wrong.flatMap(([isWrong, what]) => (isWrong ? [what] : []));
  return { file, measured, problems: named(name, problems) };
}

/** Returns what files that name others open in addition to a plain one; needs strace. */
async function problemsOfTrace(ground: Ground, url: string, most: number): Promise<string[]> {
  if (commandsMissing({ needs: ['strace'] }).length > 0) return [];
  const path = join(ground.folder, 'traced.ofx');
  const opened = async (text: string): Promise<ReadonlySet<string>> => {
    await writeFile(path, text);
    return openedByImport(path, ground.refused);
  };
  const wrong = await opened(plainTable.replace('-5.00', 'five'));
  if (!wrong.has(path)) return ['strace does not show that a file is opened'];
  const naming = hostileFiles(url).filter(({ name }) => /^(?:xxe|external)-/.test(name));
  const problems: string[] = [];
  for (const { name, content } of naming.slice(0, Math.ceil(most / 10))) {
    const more = await opened([...content.pieces].join(''));
    const other = [...more].filter((what) => !wrong.has(what));
    problems.push(...other.map((what) => `${name}: opened ${what}`));
  }
  return problems;
}

/** Loaded before the command: at the end it writes memory and processor time to the file `PROVE_TAKEN`. */
const preload = `
  import { writeFileSync } from 'node:fs';
  process.once('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    const taken = { peakBytes: maxRSS * 1024, cpuMs: (userCPUTime + systemCPUTime) / 1000 };
    writeFileSync(process.env.PROVE_TAKEN, JSON.stringify(taken));
  });
`;
const preloadUrl = `data:text/javascript,${encodeURIComponent(preload)}`;

interface Measured extends Said {
  readonly peakBytes: number;
  /** Processor time, on which other programs have little effect. */
  readonly cpuMs: number;
}

async function measuredImport(file: string, options: readonly string[], timeoutMs: number) {
  const taken = `${file}.taken`;
  const program = [...cofferProgram, 'import', file, '--json', ...options];
  const environment = { PROVE_TAKEN: taken, NODE_OPTIONS: `--import=${preloadUrl}` };
  const said = await runProgram(program, { environment, timeoutMs });
  return { ...said, ...(await readTaken(taken)) };
}

/** A killed process has written nothing. */
async function readTaken(file: string): Promise<{ peakBytes: number; cpuMs: number }> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as { peakBytes: number; cpuMs: number };
  } catch {
    return { peakBytes: Infinity, cpuMs: Infinity };
  } finally {
    await rm(file, { force: true });
  }
}

const root = join(import.meta.dirname, '../..');

async function openedByImport(file: string, options: readonly string[]) {
  const trace = `${file}.trace`;
  // With this variable Node opens a certificate file at some later time.
  const strace = 'env -u NODE_EXTRA_CA_CERTS strace -f -qq -e trace=openat,open,connect -o'.split(
    ' ',
  );
  await runProgram([...strace, trace, ...cofferProgram, 'import', file, ...options]);
  const text = await readFile(trace, 'utf8');
  await rm(trace);
  const opens = /(?:open(?:at)?\([^"]*"([^"]*)"[^\n]* = \d+$)|(connect\([^\n]*)/gm;
  const opened = [...text.matchAll(opens)].map(([, path, connection]) => path ?? connection ?? '');
  return new Set(opened.filter((name) => !isOfProgram(name)));
}

/** The program itself, and files about the machine that the runtime reads sometimes. */
function isOfProgram(name: string): boolean {
  return name.startsWith(`${root}/`) || /^\/(?:proc|sys)\//.test(name);
}
