import { cpuOf, type ServerProcess } from './child.ts';
import { runLoad, type Load } from './load.ts';
import { processorTimeMs, median } from './processor-time.ts';
import type { Figure } from '../report/figure.ts';

const connections = 8;

export type Measure = () => Promise<number>;

export type Samples = ReadonlyMap<string, readonly number[]>;

/** Measures targets in turn, by their names. The first round warms every server up and is not returned. */
export async function measureInTurns(
  targets: Readonly<Record<string, Measure>>,
  rounds = 5,
): Promise<Samples> {
  const samples = new Map<string, number[]>(Object.keys(targets).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, measure] of Object.entries(targets)) {
      const value = await measure();
      if (round > 0) samples.get(name)?.push(value);
    }
  }
  return samples;
}

export function valuesOf(samples: Samples, name: string): readonly number[] {
  return samples.get(name) ?? [];
}

export function mediansOf(samples: Samples, prefix: string, unit: string): Figure[] {
  return [...samples].map(([name, values]) => {
    return { name: `${prefix}${name}`, value: median(values), unit };
  });
}

export interface Requests extends Pick<Load, 'token' | 'paths' | 'requests' | 'headers'> {
  readonly server: ServerProcess;
  /** The process of the server's database, whose time and children's time counts too. */
  readonly databasePid?: number | null;
}

export function perRequest({ server, databasePid = null, ...load }: Requests): Measure {
  const databaseMs = (): number => (databasePid === null ? 0 : processorTimeMs(databasePid));
  return async () => {
    const before = databaseMs();
    const ms = await cpuOf(server, () => runLoad({ ...load, ports: [server.port], connections }));
    return (ms + databaseMs() - before) / load.requests;
  };
}
