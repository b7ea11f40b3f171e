import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../test/service/ask.ts';
import { inFolder } from '../../test/service/owners.ts';
import { withSynced, type ServerProcess, type Synced } from '../../test/service/server-process.ts';
import type { Check, Outcome } from '../run/check.ts';
import { DatabaseResponses } from '../run/database-responses.ts';
import { importBatches, inspect, Ledger, lossProblems, sumOfLosses } from '../run/ledger.ts';

const diskBytes = 6 * 2 ** 20;
const accountCount = 3;
const rowsOfFile = 5;
/** Checkpoints of the log free space a few times before the disk stays full. */
const mostFillings = 20;
/** /readyz checks at most once a second. */
const readinessTimeoutMs = 5000;
const flags = ['--rate-limit', '1000000'];
const paths = ['/v2/me', '/v2/transactions?limit=100', '/v2/categories', '/v2/crypto/synced'];

/** The commands that mounting needs. Without the right to mount, one of them is a name that is never found. */
const mountNeeds = mayMount() ? ['mount'] : ['mount', 'CAP_SYS_ADMIN'];

export const check: Check = {
  id: 'F4',
  needs: mountNeeds,
  rounds: { short: 1, full: 20 },
  run: (rounds) =>
    inFolder((folder) =>
      onSmallDisk(folder, (disk, fill, free) => {
        const database = join(disk, 'coffer.db');
        return withSynced({ database, flags }, accountCount, (synced) =>
          synced.serve((server) =>
            fillOften({ folder, database, fill, free, synced, server }, rounds),
          ),
        );
      }),
    ),
};

interface Place {
  /** For files that are not on the small disk. */
  readonly folder: string;
  readonly database: string;
  readonly fill: () => void;
  readonly free: () => void;
  readonly synced: Synced;
  readonly server: ServerProcess;
}

async function fillOften(place: Place, rounds: number): Promise<Outcome> {
  const { folder, database, fill, free, synced, server } = place;
  const ledger = new Ledger();
  const answers = new DatabaseResponses();
  const { problems } = answers;
  let [refusedImports, reads] = [0, 0];
  const refresh = async (n: number): Promise<boolean> =>
    answers.add(await synced.accounts.refresh(server.url, n % accountCount));
  const importOne = async (): Promise<boolean> => {
    const job = { folder, database, email: synced.owner.email, batches: [ledger.send(rowsOfFile)] };
    const { code, stderr } = await importBatches(ledger, job).ended;
    if (code === 0) return true;
    refusedImports += 1;
    if (!stderr.includes('The disk is full'))
      problems.push(`an import ended with ${code}: ${stderr}`);
    return false;
  };
  /**
   * Fills the disk until a write and an import are refused twice in a row: after the first refusal the log is
   * checkpointed, which frees space. Returns false when that never happens.
   */
  const fillUntilRefused = async (): Promise<boolean> => {
    let refusals = 0;
    for (let filling = 1; filling <= mostFillings && refusals < 2; filling += 1) {
      fill();
      const isStored = await refresh(filling);
      refusals = (await importOne()) || isStored ? 0 : refusals + 1;
    }
    fill();
    return refusals === 2;
  };
  for (let round = 1; round <= rounds; round += 1) {
    const note = (problem: string): number => problems.push(`round ${round}: ${problem}`);
    if (!(await fillUntilRefused())) note('the disk was never full for a write');
    for (const path of paths) {
      const { status } = await ask(server.url + path, { token: synced.owner.token });
      if (status !== 200) note(`GET ${path} is ${status}`);
      reads += 1;
    }
    if (!(await isReady(server, 503))) note('/readyz does not report the full disk');
    free();
    if (!(await refresh(round))) note('with free space the first write is refused');
    if (!(await importOne())) note('with free space an import is refused');
    if (!(await isReady(server, 200))) note('with free space /readyz still reports a full disk');
  }
  await server.end('SIGTERM');
  const { faults, batches } = inspect(database);
  const losses = sumOfLosses(ledger.compare(batches), await synced.accounts.compare());
  problems.push(...faults, ...lossProblems(losses, 'writes', true));
  const stored = answers.succeeded + ledger.acknowledged.size;
  const figure =
    `${rounds} times full: ${answers.refused} writes and ${refusedImports} imports refused, ${reads} reads succeeded, ` +
    `${stored} writes and imports acknowledged, ${losses.lost} lost`;
  return { figure, problems };
}

async function isReady({ url }: ServerProcess, expected: number): Promise<boolean> {
  const deadlineMs = performance.now() + readinessTimeoutMs;
  while (performance.now() < deadlineMs) {
    if ((await ask(`${url}/readyz`)).status === expected) return true;
    await sleep(50);
  }
  return false;
}

async function onSmallDisk<T>(
  parent: string,
  work: (folder: string, fill: () => void, free: () => void) => Promise<T>,
): Promise<T> {
  const folder = join(parent, 'disk');
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes},mode=700`, 'tmpfs', folder]);
  const ballast = join(folder, 'ballast');
  const free = (): void => rmSync(ballast, { force: true });
  try {
    return await work(folder, () => fillUp(ballast), free);
  } finally {
    // Takes effect at once, even while a killed process still uses the folder.
    execFileSync('umount', ['--lazy', folder]);
  }
}

function fillUp(file: string): void {
  const descriptor = openSync(file, 'a');
  for (let size = 65_536; size >= 1;)
    try {
      writeSync(descriptor, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      size = Math.floor(size / 2);
    }
  closeSync(descriptor);
}

/** Whether this process has the right to mount: bit 21 of its capabilities (capabilities(7)). */
function mayMount(): boolean {
  try {
    const set = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return ((BigInt(`0x${set ?? '0'}`) >> 21n) & 1n) === 1n;
  } catch {
    return false;
  }
}
