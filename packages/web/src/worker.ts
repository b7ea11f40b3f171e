/*
 * The service worker: it keeps the page and the code of all screens, so that the UI opens without a server. It keeps no
 * records: every other request goes to the server. Source: the Service Workers specification of the W3C.
 */

/** The names of all files below `assets`; defined by the bundler, as is the hash of the page and of them. */
declare const SHELL_FILES: readonly string[];
declare const SHELL_HASH: string;

/** An event that lasts until a promise is settled. */
interface LongEvent extends Event {
  readonly waitUntil: (work: Promise<unknown>) => void;
}

interface RequestEvent extends Event {
  readonly request: Request;
  readonly respondWith: (response: Promise<Response>) => void;
}

/** What the types for pages do not have. */
interface WorkerScope {
  readonly registration: { readonly scope: string };
  readonly addEventListener: {
    (type: 'install' | 'activate', listener: (event: LongEvent) => void): void;
    (type: 'fetch', listener: (event: RequestEvent) => void): void;
  };
}

const worker = globalThis as unknown as WorkerScope;
/** Where the UI is: an address that ends with a slash. */
const base = worker.registration.scope;
const prefix = 'coffer-shell-';
const current = `${prefix}${SHELL_HASH}`;

async function keepShell(): Promise<void> {
  const files = SHELL_FILES.map((name) => `${base}assets/${name}`);
  const shell = await caches.open(current);
  // No older page of the browser's own cache: its files may be gone.
  await shell.addAll([new Request(base, { headers: { accept: 'text/html' }, cache: 'reload' })]);
  await shell.addAll([...files, `${base}favicon.svg`, `${base}manifest.webmanifest`]);
}

async function forgetOlder(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== current);
  await Promise.all(names.map((name) => caches.delete(name)));
}

/** The page of the server; the kept one if the server cannot be reached. */
async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await caches.match(base, { ignoreVary: true });
    if (kept === undefined) throw error;
    return kept;
  }
}

async function file(request: Request): Promise<Response> {
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
}

/** Paths that are no pages of the UI. */
const others = /^(docs|assets|v1|v2|coffer|healthz|readyz|metrics)(\/|$)|\.\w+$/;

worker.addEventListener('install', (event) => event.waitUntil(keepShell()));
worker.addEventListener('activate', (event) => event.waitUntil(forgetOlder()));
worker.addEventListener('fetch', (event) => {
  const { url, mode, method } = event.request;
  if (method !== 'GET' || !url.startsWith(base)) return;
  const [path = ''] = url.slice(base.length).split('?', 1);
  if (path.startsWith('assets/') || path === 'favicon.svg' || path === 'manifest.webmanifest')
    event.respondWith(file(event.request));
  else if (mode === 'navigate' && !others.test(path)) event.respondWith(page(event.request));
});
