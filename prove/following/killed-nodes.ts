import { startTogether } from '../../packages/core/src/testing/starts.ts';
import { integerFrom, type Random } from '../../test/service/random.ts';
import { startServer, type ServerProcess } from '../../test/service/server-process.ts';

const flags = ['--rate-limit', '1000000', '--coffer-rate-limit', '1000000'];

/** The nodes of one database, of which one is killed now and then. */
export interface KilledNodes {
  kills: number;
  /** The address of any node. It may be dead. */
  url(random?: Random): string;
  /** Kills one node with SIGKILL, and starts it again. */
  killOne(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts `count` nodes. */
export async function startKilledNodes(
  database: string,
  count: number,
  ownRandom: Random,
): Promise<KilledNodes> {
  const start = (): Promise<ServerProcess> => startServer({ database, flags });
  const nodes = await startTogether<ServerProcess[]>(...Array.from({ length: count }, start));
  const all: KilledNodes = {
    kills: 0,
    url: (random = ownRandom) => nodes[integerFrom(random, 0, nodes.length - 1)]!.url,
    killOne: async () => {
      const index = all.kills % nodes.length;
      all.kills += 1;
      await nodes[index]!.stop();
      nodes[index] = await start();
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
  return all;
}
