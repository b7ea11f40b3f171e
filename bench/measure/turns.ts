import { cpuOf, type Peer } from './child.ts';
import { runLoad, type Load } from './load.ts';
import { median, medianRatio } from './processor-time.ts';
import type { Figure } from '../report/figure.ts';

const connections = 8;

/** The values of the rounds, by the name of what was measured. */
export class Samples {
  readonly #values = new Map<string, number[]>();

  add(name: string, value: number): void {
    this.#values.set(name, [...this.of(name), value]);
  }

  of(name: string): readonly number[] {
    return this.#values.get(name) ?? [];
  }

  times(name: string, above: string, below: string, more: Partial<Figure> = {}): Figure {
    return { name, value: medianRatio(this.of(above), this.of(below)), unit: 'times', ...more };
  }

  medians(prefix: string, unit: string, more: Partial<Figure> = {}): Figure[] {
    return [...this.#values].map(([name, values]) => {
      return { name: `${prefix}${name}`, value: median(values), unit, ...more };
    });
  }
}

export type Measure = () => Promise<number>;

/**
 * Measures targets in turn, by their names; those that return several costs, by their names and those of the costs. The
 * first rounds warm every server up and are not returned.
 */
export async function measureInTurns(
  targets: Readonly<Record<string, () => Promise<number | Readonly<Record<string, number>>>>>,
  { rounds = 5, warmUps = 1 } = {},
): Promise<Samples> {
  const samples = new Samples();
  for (let round = -warmUps; round < rounds; round += 1) {
    const turns = Object.entries(targets);
    // Each is the first in turn.
    for (const [name, measure] of round % 2 === 0 ? turns : turns.toReversed()) {
      const measured = await measure();
      const costs = typeof measured === 'number' ? { '': measured } : measured;
      if (round < 0) continue;
      for (const [kind, cost] of Object.entries(costs)) samples.add(name + kind, cost);
    }
  }
  return samples;
}

export interface Requests extends Pick<Load, 'token' | 'paths' | 'requests' | 'headers'> {
  readonly server: Peer;
  readonly databasePid?: number | null;
}

export function perRequest({ server, databasePid, ...load }: Requests): Measure {
  const run = (): Promise<unknown> => runLoad({ ...load, ports: [server.port], connections });
  return async () => (await cpuOf(server, run, databasePid)) / load.requests;
}
