import { useSyncExternalStore } from 'react';
import type { UnsentEntry } from '../books/rows/unsent.ts';
import { unsent } from './unsent.ts';

/** What was typed and is not stored yet, as it changes. */
export function useUnsent(): readonly UnsentEntry[] {
  return useSyncExternalStore(unsent.subscribe, () => unsent.entries);
}
