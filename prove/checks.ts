import type { Check } from './check.ts';

/** Every check, in the order of its number. */
export const checks: readonly Check[] = [];
