import { ownerOf } from '../books/rows/unsent.ts';
import type { SessionInfo } from '../books/types.ts';

/** What the UI needs to take entries when it opens without a server. */
export interface LastSession {
  /** Whose entries they are, see {@link ownerOf}. */
  readonly owner: string;
  /** The primary currency of the book. */
  readonly currency: string;
}

const storageKey = 'coffer.session';
/** Where the names of the last session are kept, see `kept-names.ts`. */
export const namesKey = 'coffer.names';

/** Remembers who is signed in, by ids; forgets it with all names when nobody is, or null is given. */
export function rememberSession(info: SessionInfo | null): void {
  const owner = info === null ? null : ownerOf(info);
  const last: LastSession = { owner: owner ?? '', currency: info?.book?.primary_currency ?? '' };
  try {
    if (owner === null) for (const key of [storageKey, namesKey]) localStorage.removeItem(key);
    else localStorage.setItem(storageKey, JSON.stringify(last));
  } catch {
    // Without storage the UI does not open without a server.
  }
}

/** Returns who was signed in last; null if nobody was, or signed out. */
export function lastSession(): LastSession | null {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? 'null') as LastSession | null;
  } catch {
    return null;
  }
}
