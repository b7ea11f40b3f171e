import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { unsentSenders } from '../api/edits.ts';
import { keys } from '../api/keys.ts';
import { unsent } from '../api/unsent.ts';
import { showToast } from '../parts/overlays/toasts.tsx';
import { unsentTexts as t } from '../texts/en/unsent.ts';

const changed = [keys.transactions, keys.accounts, keys.payees, keys.budgets];

/** Sends what an owner has typed, as soon as the server can be reached. */
export function useSending(owner: string | null): void {
  const cache = useQueryClient();
  useEffect(() => {
    if (owner === null) return;
    void unsent.begin(owner, unsentSenders, () => {
      showToast({ text: t.arrived, topic: 'unsent' });
      for (const queryKey of changed) void cache.invalidateQueries({ queryKey });
    });
  }, [owner, cache]);
}
