import { useQueryClient } from '@tanstack/react-query';
import { basePath } from '../api/request.ts';
import { signOut } from '../api/session.ts';

/** Returns a function that ends the session and goes to the way in, with nothing kept. */
export function useSigningOut(): () => void {
  const cache = useQueryClient();
  const leave = async (): Promise<void> => {
    await signOut();
    cache.clear();
    location.assign(`${basePath()}/sign-in`);
  };
  return () => void leave();
}
