import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../test/service/ask.ts';
import { inFolder } from '../../test/service/owners.ts';
import { withSynced, type ServerProcess, type Synced } from '../../test/service/server-process.ts';
import type { Check } from '../run/check.ts';
import { DatabaseResponses } from '../run/database-responses.ts';
import { importBatches, inspect, Ledger, lossProblems, sumOfLosses } from '../run/ledger.ts';
import { mountNeeds, onSmallDisk, type SmallDisk } from './small-disk.ts';

const diskBytes = 6 * 2 ** 20;
const accountCount = 3;
const rowsOfFile = 5;
/** Checkpoints of the log free space a few times before the disk stays full. */
const mostFillings = 20;
/** /readyz checks at most once a second. */
const readinessTimeoutMs = 5000;
const flags = ['--rate-limit', '1000000'];
const paths = ['/v2/me', '/v2/transactions?limit=100', '/v2/categories', '/v2/crypto/synced'];

export const check: Check = {
  id: 'F4',
  needs: mountNeeds,
  rounds: { short: 1, full: 20 },
  run: (rounds) =>
    inFolder((folder) =>
      onSmallDisk(folder, diskBytes, (disk) => {
        const database = join(disk.folder, 'coffer.db');
        return withSynced({ database, flags }, accountCount, (synced) =>
          synced.serve(async (server) => {
            const full = new FullDisk({ folder, disk, database, synced, server });
            for (let round = 1; round <= rounds; round += 1) await full.fillAndFree(round);
            return full.outcome(rounds);
          }),
        );
      }),
    ),
};

interface Place {
  /** For files that are not on the small disk. */
  readonly folder: string;
  readonly disk: SmallDisk;
  readonly database: string;
  readonly synced: Synced;
  readonly server: ServerProcess;
}

class FullDisk {
  readonly #place: Place;
  readonly #ledger = new Ledger();
  readonly #answers = new DatabaseResponses();
  readonly #problems: string[] = [];
  #refusedImports = 0;
  #reads = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  async fillAndFree(round: number): Promise<void> {
    const { disk } = this.#place;
    const note = (problem: string): number => this.#problems.push(`round ${round}: ${problem}`);
    if (!(await this.#fill())) note('the disk was never full for a write');
    await this.#read(note);
    if (!(await this.#isReady(503))) note('/readyz does not report the full disk');
    disk.free();
    if (!(await this.#refresh(round))) note('with free space the first write is refused');
    if (!(await this.#import())) note('with free space an import is refused');
    if (!(await this.#isReady(200))) note('with free space /readyz still reports a full disk');
  }

  async outcome(rounds: number) {
    const { server, database, synced } = this.#place;
    await server.end('SIGTERM');
    const { faults, batches } = inspect(database);
    const losses = sumOfLosses(this.#ledger.compare(batches), await synced.accounts.compare());
    const { succeeded: stored, refused, problems } = this.#answers;
    const figure =
      `${rounds} times full: ${refused} writes and ${this.#refusedImports} imports refused, ${this.#reads} reads succeeded, ` +
      `${stored + this.#ledger.acknowledged.size} writes and imports acknowledged, ${losses.lost} lost`;
    const lost = lossProblems(losses, 'writes', true);
    return { figure, problems: [...this.#problems, ...problems, ...faults, ...lost] };
  }

  /**
   * Fills the disk until a write and an import are refused twice in a row: after the first refusal the log is
   * checkpointed, which frees space. Returns false when that never happens.
   */
  async #fill(): Promise<boolean> {
    let refusals = 0;
    for (let filling = 1; filling <= mostFillings && refusals < 2; filling += 1) {
      this.#place.disk.fill();
      const isStored = await this.#refresh(filling);
      const isImported = await this.#import();
      refusals = isStored || isImported ? 0 : refusals + 1;
    }
    this.#place.disk.fill();
    return refusals === 2;
  }

  async #refresh(n: number): Promise<boolean> {
    const { synced, server } = this.#place;
    return this.#answers.add(await synced.accounts.refresh(server.url, n % accountCount));
  }

  async #import(): Promise<boolean> {
    const { folder, database, synced } = this.#place;
    const batches = [this.#ledger.send(rowsOfFile)];
    const job = { folder, database, email: synced.owner.email, batches };
    const { code, stderr } = await importBatches(this.#ledger, job).ended;
    if (code === 0) return true;
    this.#refusedImports += 1;
    if (!stderr.includes('The disk is full'))
      this.#problems.push(`an import ended with ${code}: ${stderr}`);
    return false;
  }

  async #read(note: (problem: string) => void): Promise<void> {
    const { server, synced } = this.#place;
    for (const path of paths) {
      const { status } = await ask(server.url + path, { token: synced.owner.token });
      if (status !== 200) note(`GET ${path} is ${status}`);
      this.#reads += 1;
    }
  }

  async #isReady(expected: number): Promise<boolean> {
    const deadlineMs = performance.now() + readinessTimeoutMs;
    while (performance.now() < deadlineMs) {
      const { status } = await ask(`${this.#place.server.url}/readyz`);
      if (status === expected) return true;
      await sleep(50);
    }
    return false;
  }
}
