import type { Figure } from '../report/figure.ts';
import { measureReads } from './reads.ts';
import { measureUndoAndPruning } from './undo-and-pruning.ts';
import { measureWriteCost } from './write-cost.ts';

export async function measureHistory(folder: string): Promise<Figure[]> {
  return [
    ...(await measureWriteCost(folder)),
    ...(await measureUndoAndPruning(folder)),
    ...(await measureReads(folder)),
  ];
}
