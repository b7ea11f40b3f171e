import { useSyncExternalStore } from 'react';

let isOpen = false;
const listeners = new Set<() => void>();

function set(next: boolean): void {
  isOpen = next;
  for (const listener of listeners) listener();
}

/** Whether the form for a new transaction is open: every screen and key can open it. */
export const adding = {
  open: (): void => set(true),
  close: (): void => set(false),
};

/** Follows {@link adding}. */
export function useIsAdding(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isOpen,
  );
}
