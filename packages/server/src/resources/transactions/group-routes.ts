import type { Operation } from '../operation.ts';

/** The operations that group transactions. */
export const groupRoutes: readonly Operation[] = [];
