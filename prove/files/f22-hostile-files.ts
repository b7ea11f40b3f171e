import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { addOwner, useStore } from '../run/book.ts';
import { acceptedMs, type Check, type Outcome } from '../run/check.ts';
import { whose } from '../run/coffer.ts';
import { commandsMissing } from '../run/commands.ts';
import { withServer, type Served } from '../run/server-process.ts';
import { bookDigest } from './book-digest.ts';
import { writeContent, type HostileFile } from './hostile-content.ts';
import { hostileArchives } from './hostile-archives.ts';
import { hostileCamt } from './hostile-camt.ts';
import { hostileMarkup } from './hostile-markup.ts';
import { hostileTables } from './hostile-tables.ts';
import { measuredImport, type Measured, openedByImport } from './measured-import.ts';
import { startReads } from './steady-reads.ts';

const longestMs = 2_000;
const mostMoreBytes = 100 * 2 ** 20;
const longestDelayMs = 100;
const timeoutMs = 120_000;
const plainImports = 2;
const plainTable = 'Date,Amount,Payee\n2024-01-31,-5.00,x\n';

/** Imports hostile files, which must be refused or imported without harm. */
export const check: Check = {
  id: 'F22',
  rounds: { short: 4, full: 1_000 },
  run: (rounds) => withServer({}, (served) => runAll(rounds, served)),
};

/** The databases of the imports: a book that must not change, and one for valid files. */
interface Ground {
  readonly folder: string;
  readonly database: string;
  readonly refused: readonly string[];
  readonly read: readonly string[];
  /** The peak memory of a plain import. */
  readonly plainBytes: number;
  /** The longest that an import may compute. */
  readonly mostMs: number;
}

async function runAll(rounds: number, served: Served): Promise<Outcome> {
  const { server, owner } = served;
  const reads = startReads({ url: server.url, token: owner.token });
  const canary = await startCanary();
  try {
    const mostMs = acceptedMs(longestMs, check, rounds);
    const ground = { ...(await prepare(served)), mostMs };
    const plainMs = await reads.percentile99Ms();
    const files = chosen(hostileFiles(canary.url), rounds);
    const found: Found[] = [];
    for (const file of files) found.push(await tryFile(file, ground));
    const hostileMs = await reads.percentile99Ms();
    const problems = found.flatMap(({ problems: of }) => of);
    problems.push(...(await problemsOfTrace(ground, canary.url, rounds)));
    if (canary.requests() > 0) problems.push(`an import sent ${canary.requests()} requests`);
    if (hostileMs - plainMs > acceptedMs(longestDelayMs, check, rounds))
      problems.push(`p99 of reads was ${hostileMs} ms`);
    const beside = `p99 of reads meanwhile ${Math.round(hostileMs)} ms (plain import: ${Math.round(plainMs)} ms)`;
    return { figure: `${figureOf(found, ground.plainBytes)}, ${beside}`, problems };
  } finally {
    canary.close();
    await reads.end();
  }
}

function hostileFiles(url: string): HostileFile[] {
  return [...hostileMarkup(url), ...hostileCamt(url), ...hostileArchives(), ...hostileTables()];
}

/** Imports plain files, with which hostile ones are compared. */
async function prepare({ folder, owner }: Served): Promise<Omit<Ground, 'mostMs'>> {
  const readDatabase = join(folder, 'read.db');
  const reader = await useStore(readDatabase, (store) => addOwner(store, 'reader'));
  const read = whose(reader, readDatabase);
  let plainBytes = 0;
  for (let left = plainImports; left > 0; left -= 1) {
    const plain = await importOf(folder, read, { name: 'plain.csv', pieces: [plainTable] });
    if (plain.code !== 0) throw new Error(`A plain import failed: ${plain.stderr}`);
    plainBytes = Math.max(plainBytes, plain.peakBytes);
  }
  const database = join(folder, 'coffer.db');
  return { folder, database, refused: whose(owner, database), read, plainBytes };
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

/** Returns `most` files, spread over the list. */
function chosen(files: readonly HostileFile[], most: number): HostileFile[] {
  if (most >= files.length) return [...files];
  const quick = files.filter(({ isLong }) => isLong !== true);
  return Array.from({ length: most }, (_, at) => quick[Math.floor((at * quick.length) / most)]!);
}

/** Writes a file, imports it and removes it. */
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
  const problems: string[] = [];
  const say = (what: string): void => void problems.push(`${name}: ${what}`);
  if (code !== (isRead ? 0 : 1)) say(`ended with ${code}: ${stderr.slice(0, 200)}`);
  if (isRead && !stdout.includes(`,"imported":${becomes},`)) say(`printed ${stdout}`);
  if (!isRead && !becomes.test(stderr)) say(`said ${stderr.slice(0, 300)}`);
  if (/[^\n\P{Cc}]/u.test(stdout + stderr)) say('wrote control characters to the terminal');
  if (stderr.includes('    at ')) say('printed a stack trace');
  if ((await bookDigest(ground.database)) !== before) say('changed the book');
  if (cpuMs > ground.mostMs && file.isLong !== true) say(`took ${Math.round(cpuMs)} ms`);
  const moreBytes = peakBytes - ground.plainBytes;
  if (moreBytes > mostMoreBytes) say(`took ${Math.round(moreBytes / 2 ** 20)} MiB more`);
  return { file, measured, problems };
}

/** Returns what files that name others open in addition to a plain one; needs strace. */
async function problemsOfTrace(ground: Ground, url: string, most: number): Promise<string[]> {
  if (commandsMissing({ ...check, needs: ['strace'] }).length > 0) return [];
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

/** Starts a server that must get no request. */
async function startCanary() {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    requests: () => requests,
    close: () => server.close(),
  };
}
