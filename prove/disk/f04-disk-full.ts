import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../run/ask.ts';
import { addOwner, inFolder, useStore, type Owner } from '../run/book.ts';
import type { Check } from '../run/check.ts';
import { startImport } from '../run/coffer.ts';
import { writeStatement, inspect, Ledger } from '../run/ledger.ts';
import { startServer, type ServerProcess } from '../run/server-process.ts';
import { SyncedAccounts } from '../run/synced-accounts.ts';
import { DatabaseResponses } from '../run/database-responses.ts';
import { mountNeeds, onSmallDisk, type SmallDisk } from './small-disk.ts';

const diskBytes = 6 * 2 ** 20;
const accountCount = 3;
const rowsOfFile = 5;
/** Checkpoints of the log free space a few times before the disk stays full. */
const mostFillings = 20;
/** /readyz checks at most once a second. */
const readinessTimeoutMs = 5000;
const paths = ['/v2/me', '/v2/transactions?limit=100', '/v2/categories', '/v2/crypto/synced'];

/** A server whose disk is repeatedly full, without a restart. */
export const check: Check = {
  id: 'F4',
  needs: mountNeeds,
  rounds: { short: 1, full: 20 },
  run: (rounds) =>
    inFolder((folder) =>
      onSmallDisk(folder, diskBytes, async (disk) => {
        const database = join(disk.folder, 'coffer.db');
        const owner = await useStore(database, (store) => addOwner(store, 'owner'));
        const accounts = await SyncedAccounts.make(database, owner, accountCount);
        const flags = ['--rate-limit', '1000000'];
        const server = await startServer({ database, flags, environment: accounts.environment });
        try {
          const full = new FullDisk({ folder, disk, database, owner, accounts, server });
          for (let round = 1; round <= rounds; round += 1) await full.fillAndFree(round);
          return await full.outcome(rounds);
        } finally {
          await server.end('SIGKILL');
          await accounts.close();
        }
      }),
    ),
};

interface Place {
  /** For files that are not on the small disk. */
  readonly folder: string;
  readonly disk: SmallDisk;
  readonly database: string;
  readonly owner: Owner;
  readonly accounts: SyncedAccounts;
  readonly server: ServerProcess;
}

/** A server on a disk that is filled and freed, with its responses. */
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
    const { server, database, accounts } = this.#place;
    await server.end('SIGTERM');
    const { faults, batches } = inspect(database);
    const files = this.#ledger.compare(batches);
    const balances = await accounts.compare();
    const lost = files.lost + balances.lost;
    const wrong =
      lost +
      files.half +
      balances.half +
      balances.unacknowledged +
      this.#ledger.unacknowledged(batches);
    if (wrong > 0)
      this.#problems.push(`${wrong} batches differ from the acknowledged ones, ${lost} are lost`);
    const { succeeded: stored, refused } = this.#answers;
    const figure =
      `${rounds} times full: ${refused} writes and ${this.#refusedImports} imports refused, ${this.#reads} reads succeeded, ` +
      `${stored + this.#ledger.acknowledged} writes and imports acknowledged, ${lost} lost`;
    return { figure, problems: [...this.#problems, ...this.#answers.problems, ...faults] };
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
    const { accounts, server } = this.#place;
    const answer = await accounts.refresh(server.url, n % accountCount);
    this.#answers.add(answer);
    return answer.status === 200;
  }

  async #import(): Promise<boolean> {
    const { folder, database, owner } = this.#place;
    const batch = this.#ledger.send(rowsOfFile);
    const files = [writeStatement(folder, batch, rowsOfFile)];
    const onImported = (): void => this.#ledger.acknowledge(batch);
    const { code, stderr } = await startImport({ database, email: owner.email, files, onImported })
      .ended;
    if (code === 0) return true;
    this.#refusedImports += 1;
    if (!stderr.includes('The disk is full'))
      this.#problems.push(`an import ended with ${code}: ${stderr}`);
    return false;
  }

  async #read(note: (problem: string) => void): Promise<void> {
    const { server, owner } = this.#place;
    for (const path of paths) {
      const { status } = await ask(server.url + path, { token: owner.token });
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
