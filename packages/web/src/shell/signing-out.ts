import { useQueryClient } from '@tanstack/react-query';
import { leave, signOut } from '../api/session.ts';

/** Returns a function that ends the session and goes to the way in, with nothing kept. */
export function useLeaving(): () => Promise<void> {
  const cache = useQueryClient();
  return async () => {
    await signOut();
    leave(cache);
  };
}

/** Returns a function that signs out; it asks first when something that was typed is not sent. */
export function useSigningOut(onOpen: (sheet: 'leaving') => void): () => void {
  const leave = useLeaving();
  return () =>
    void import('../api/unsent.ts').then(({ unsent }) => {
      if (unsent.entries.length === 0) void leave();
      else onOpen('leaving');
    });
}
