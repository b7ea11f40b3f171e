import { startTogether } from '../../packages/core/src/testing/starts.ts';
import { integerFrom, type Random } from '../../test/service/random.ts';
import { startServer, type ServerProcess } from '../../test/service/server-process.ts';

const flags = ['--rate-limit', '1000000', '--coffer-rate-limit', '1000000'];

export interface KilledNodes {
  kills: number;
  /** The address of any node. It may be dead. */
  url(random?: Random): string;
  killOne(): Promise<void>;
  stop(): Promise<void>;
}

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
