import type { Figure } from '../report/figure.ts';
import type { Stamp } from '../report/stamp.ts';
import { capacityFigures, measureCapacity } from './capacity.ts';
import { writeCapacity } from './result.ts';

/** Measures the capacity, and writes it to its file of results and to the document about scale. */
export async function runCapacity(stamp: Stamp): Promise<Figure[]> {
  const run = await measureCapacity();
  if (run === null) return [];
  const { date, commit, inShort: machine } = stamp;
  writeCapacity({ date, commit, machine, run });
  return capacityFigures(run);
}
