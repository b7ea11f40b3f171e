import type { Operation } from '../operation.ts';

/** The operations that split transactions. */
export const splitRoutes: readonly Operation[] = [];
