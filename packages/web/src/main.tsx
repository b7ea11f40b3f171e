import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { createCache, watchConnection } from './api/cache.ts';
import { basePath } from './api/request.ts';
import { showTheme } from './parts/preferences.ts';
import { App } from './shell/app.tsx';

/** Defined by the bundler. */
declare const IS_DEVELOPMENT: boolean;

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element "root"');
showTheme();
watchConnection();
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createCache()}>
      <Router base={basePath()}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);

if (IS_DEVELOPMENT) void import('./reload.ts').then(({ reloadOnChange }) => reloadOnChange());
