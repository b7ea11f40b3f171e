import type { ServerProcess } from './child.ts';
import { runLoad } from './load.ts';
import type { Load } from './load.ts';
import { processorTimeMs } from './processor-time.ts';

const connections = 8;

/** Measures the processor time of one request in milliseconds. */
export type Measure = () => Promise<number>;

/** Processor time of each target in milliseconds, one value for each round. */
export type Samples = ReadonlyMap<string, readonly number[]>;

/** Measures targets in turn, by their names. The first round warms every server up and is not returned. */
export async function measureInTurns(
  targets: Readonly<Record<string, Measure>>,
  rounds = 5,
): Promise<Samples> {
  const samples = new Map<string, number[]>(Object.keys(targets).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, measure] of Object.entries(targets)) {
      const cpuMs = await measure();
      if (round > 0) samples.get(name)?.push(cpuMs);
    }
  }
  return samples;
}

/** Requests to one server, by eight connections. */
export interface Requests extends Pick<Load, 'token' | 'paths' | 'requests' | 'headers'> {
  readonly server: ServerProcess;
  /** The process of the server's database, whose time and children's time counts too. */
  readonly databasePid?: number | null;
}

/** Returns a measure of the processor time of a server per request. */
export function perRequest({ server, databasePid = null, ...load }: Requests): Measure {
  const databaseMs = (): number => (databasePid === null ? 0 : processorTimeMs(databasePid));
  return async () => {
    const before = { own: await server.usage(), database: databaseMs() };
    await runLoad({ ...load, ports: [server.port], connections });
    const after = await server.usage();
    return (after.cpuMs - before.own.cpuMs + databaseMs() - before.database) / load.requests;
  };
}
