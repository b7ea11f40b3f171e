import type { Operation } from '../operation.ts';

/** The operations that write transactions. */
export const transactionWriteRoutes: readonly Operation[] = [];
