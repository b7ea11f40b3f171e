import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { ApiError, describeError } from '../../api/errors.ts';
import { undoLast } from '../../api/undo.ts';
import { showToast } from '../../parts/overlays/toasts.tsx';
import { isTyping } from '../../parts/keys.ts';
import { usePreferences } from '../../parts/preferences.ts';
import { partTexts as t } from '../../texts/en/parts.ts';

/** Of how many writes each change of this page consists, the newest last, so that one undo takes back all of them. */
const sizes: number[] = [];
const topic = 'change';

/** Shows why something failed. */
export function showFailure(error: unknown): void {
  showToast({ text: describeError(error), look: 'problem' });
}

/** Makes changes that can be taken back. */
export interface OwnChanges {
  /**
   * Writes, refreshes what is shown, and offers to undo.
   *
   * `writes` is the number of versions that it makes: what is not known before depends on the result. Rejects when the
   * server refuses.
   */
  readonly change: <T>(
    write: () => Promise<T>,
    done: string | ((result: T) => string),
    writes?: number | ((result: T) => number),
  ) => Promise<T>;
  /** Takes back the last change. */
  readonly undo: () => Promise<void>;
}

/** Changes of records that the keys of the cache hold; an undo refreshes everything. */
export function useOwnChanges(...areas: readonly QueryKey[]): OwnChanges {
  const cache = useQueryClient();
  const undo = useCallback(async (): Promise<void> => {
    try {
      await undoLast(cache, sizes.pop() ?? 1);
      showToast({ text: t.undone, topic });
    } catch (error) {
      const isNothing = error instanceof ApiError && error.status === 404;
      showToast({ text: isNothing ? t.nothing : describeError(error), look: 'problem', topic });
    }
  }, [cache]);
  const change: OwnChanges['change'] = async (write, done, writes = 1) => {
    const refresh = () =>
      Promise.all(areas.map((queryKey) => cache.invalidateQueries({ queryKey })));
    const result = await write().catch((error: unknown) => {
      // While the server cannot be reached, what is shown is not read again: the failure does not wait for it.
      void refresh();
      throw error;
    });
    const size = typeof writes === 'number' ? writes : writes(result);
    if (size > 0) sizes.push(size);
    const text = typeof done === 'string' ? done : done(result);
    const undoable = { action: { label: t.undo, run: () => void undo() } };
    showToast({ text, topic, ...(size > 0 && undoable) });
    await refresh();
    return result;
  };
  return { change, undo };
}

/** Undoes by the letter `u`, unless it is text, a dialog is open, or letters are off. */
export function useUndoKey(undo: () => Promise<void>): void {
  const { hasLetterKeys } = usePreferences();
  useEffect(() => {
    if (!hasLetterKeys) return;
    const press = (event: KeyboardEvent): void => {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
      const isOpen = document.querySelector('dialog[open], [role="menu"]') !== null;
      if (event.key !== 'u' || !isPlain || isOpen || isTyping(event.target)) return;
      event.preventDefault();
      void undo();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [hasLetterKeys, undo]);
}
