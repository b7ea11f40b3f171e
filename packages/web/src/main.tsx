import { QueryClientProvider, QueryClient } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { connection } from './api/connection.ts';
import { isOffline } from './api/errors.ts';
import { basePath } from './api/request.ts';
import { getSession } from './api/session.ts';
import { showLanguage, showTheme } from './parts/preferences.ts';
import { App } from './shell/app.tsx';

/** Defined by the bundler. */
declare const IS_DEVELOPMENT: boolean;

/** How long a response counts as new. The feed of changes refreshes older copies sooner. */
const staleMs = 30_000;
/** How often a server that could not be reached is tried again. */
const retryMs = 3000;

/** Creates the cache of everything that was read. Reads that did not reach the server are repeated until they do. */
function createCache(): QueryClient {
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

/** Tries to reach the server while it cannot be reached, and at once when the browser has a network again. */
function watchConnection(): void {
  const look = (): void => {
    if (connection.state.isOffline) void getSession().catch(() => undefined);
  };
  setInterval(look, retryMs);
  addEventListener('online', look);
}

const pollMs = 500;

/** Loads the page again when the server has another one: for `npm run web`. */
function reloadOnChange(): void {
  let known: string | null = null;
  setInterval(() => {
    void fetch(`${basePath()}/`, { method: 'HEAD' }).then(
      ({ headers }) => {
        const tag = headers.get('etag');
        if (known !== null && tag !== known) location.reload();
        known = tag;
      },
      () => undefined,
    );
  }, pollMs);
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element "root"');
showTheme();
watchConnection();
await showLanguage();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createCache()}>
      <Router base={basePath()}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);

if (IS_DEVELOPMENT) reloadOnChange();
