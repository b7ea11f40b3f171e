import { startServer, type ServerProcess } from '../run/server-process.ts';
import { integerFrom, type Random } from '../run/random.ts';

const flags = ['--rate-limit', '1000000', '--coffer-rate-limit', '1000000'];

/** The nodes of one database, of which one is killed now and then. */
export class KilledNodes {
  readonly #database: string;
  readonly #random: Random;
  readonly #nodes: ServerProcess[];
  kills = 0;

  private constructor(database: string, nodes: ServerProcess[], random: Random) {
    this.#database = database;
    this.#nodes = nodes;
    this.#random = random;
  }

  static async start(database: string, count: number, random: Random): Promise<KilledNodes> {
    const nodes: ServerProcess[] = [];
    for (let started = 0; started < count; started += 1)
      nodes.push(await startServer({ database, flags }));
    return new KilledNodes(database, nodes, random);
  }

  /** The address of any node. It may be dead. */
  url(random = this.#random): string {
    return this.#nodes[integerFrom(random, 0, this.#nodes.length - 1)]!.url;
  }

  /** Kills one node with SIGKILL, and starts it again. */
  async killOne(): Promise<void> {
    const index = this.kills % this.#nodes.length;
    this.kills += 1;
    await this.#nodes[index]!.end('SIGKILL');
    this.#nodes[index] = await startServer({ database: this.#database, flags });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.end('SIGKILL')));
  }
}
