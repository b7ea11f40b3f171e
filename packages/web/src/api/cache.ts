import { QueryClient } from '@tanstack/react-query';
import { connection } from './connection.ts';
import { isOffline } from './errors.ts';
import { getSession } from './session.ts';

/** How long a response counts as new. The feed of changes refreshes older copies sooner. */
const staleMs = 30_000;
/** How often a server that could not be reached is tried again. */
const retryMs = 3000;

/** Creates the cache of everything that was read. Reads that did not reach the server are repeated until they do. */
export function createCache(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: staleMs,
        retry: (_count, error) => isOffline(error),
        retryDelay: retryMs,
        networkMode: 'always',
        refetchOnWindowFocus: false,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

/**
 * Tries to reach the server while it cannot be reached, and at once when the browser has a network again. Returns what
 * ends that.
 */
export function watchConnection(): () => void {
  const look = (): void => {
    if (connection.state.isOffline) void getSession().catch(() => undefined);
  };
  const timer = setInterval(look, retryMs);
  addEventListener('online', look);
  return () => {
    clearInterval(timer);
    removeEventListener('online', look);
  };
}
