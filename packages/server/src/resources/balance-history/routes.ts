import type { Operation } from '../operation.ts';
import type { Services } from '../services.ts';

/** Returns the operations of this folder. */
export function balanceHistoryRoutes(_services: Services): readonly Operation[] {
  return [];
}
