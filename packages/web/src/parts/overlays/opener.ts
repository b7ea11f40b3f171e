import { useSyncExternalStore } from 'react';

/** A dialog that every screen, key and message can open: with what it shows, or closed. */
export interface Opener<T> {
  readonly open: (shown: T) => void;
  readonly close: () => void;
  /** Follows what is shown; null while it is closed. */
  readonly useShown: () => T | null;
}

/** Makes the state of a dialog of the shell. */
export function opener<T>(): Opener<T> {
  let shown: T | null = null;
  const listeners = new Set<() => void>();
  const set = (next: T | null): void => {
    shown = next;
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    open: set,
    close: () => set(null),
    useShown: () => useSyncExternalStore(subscribe, () => shown),
  };
}
