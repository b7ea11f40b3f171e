import { onBothEngines, settle } from '../measure/engines.ts';
import { medianRatio } from '../measure/samples.ts';
import {
  measureInTurns,
  mediansOf,
  perRequest,
  valuesOf,
  type Measure,
  type Samples,
} from '../measure/turns.ts';
import type { Figure } from '../report/figure.ts';
import { fillBookOf, thisCheckout, type Checkout, type Subject } from './checkout.ts';
import { readMeasures, writeMeasures } from './reads.ts';

const goals: Readonly<Record<string, number>> = {
  ...{ 'list of 1': 0.4, me: 0.6, 'PostgreSQL: list of 100': 0.7 },
};

/** Measures the same requests of this checkout and of another one in turn, each with a database that it has filled. */
export function measureAgainst(folder: string, other: Checkout, rows: number): Promise<Figure[]> {
  // Two databases of each engine: the second is that of the other checkout.
  return onBothEngines(folder, async (url, name, databasePid, newUrl) => {
    const start = async (checkout: Checkout, ownUrl: string): Promise<Subject> => {
      const token = await fillBookOf(checkout, ownUrl, rows);
      await settle(ownUrl);
      const server = await checkout.startServer('coffer.cjs', { BENCH_DATABASE: ownUrl });
      return { server, token, databasePid };
    };
    const subjects = [await start(thisCheckout, url), await start(other, await newUrl())] as const;
    try {
      const [own, others] = [await measuresOf(subjects[0]), await measuresOf(subjects[1])];
      const names = Object.keys(own);
      const inTurn = names.flatMap((each): [string, Measure][] => [
        [`${each}, this`, own[each]!],
        [`${each}, other`, others[each]!],
      ]);
      const prefix = databasePid === null ? '' : `${name}: `;
      return figuresOf(prefix, names, await measureInTurns(Object.fromEntries(inTurn)));
    } finally {
      for (const { server } of subjects) await server.stop();
    }
  });
}

/** On PostgreSQL only lists, because the time of its processes is known in units of 10 ms. */
async function measuresOf(subject: Subject): Promise<Record<string, Measure>> {
  if (subject.databasePid === null)
    return { ...readMeasures(subject), ...(await writeMeasures(subject)) };
  const list = (limit: number): Measure =>
    perRequest({ ...subject, paths: [`/v2/transactions?limit=${limit}`], requests: 600 });
  return { 'list of 1': list(1), 'list of 100': list(100), 'list of 1000': list(1000) };
}

function figuresOf(prefix: string, names: readonly string[], samples: Samples): Figure[] {
  const ratios = names.map((name): Figure => {
    const [own, others] = ['this', 'other'].map((side) => valuesOf(samples, `${name}, ${side}`));
    const atMost = goals[`${prefix}${name}`];
    return {
      ...{ name: `${prefix}${name} against the other checkout`, unit: 'times' },
      value: medianRatio(own!, others!),
      ...(atMost !== undefined && { atMost }),
    };
  });
  return [...ratios, ...mediansOf(samples, prefix, 'ms')];
}
