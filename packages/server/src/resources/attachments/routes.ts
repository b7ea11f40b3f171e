import type { Operation } from '../operation.ts';
import type { Services } from '../services.ts';

/** Returns the operations of this folder. */
export function attachmentRoutes(_services: Services): readonly Operation[] {
  return [];
}
