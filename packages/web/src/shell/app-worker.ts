import { basePath } from '../api/request.ts';

/** The policy with a name that the page allows: the address of the worker is the only one. Source: Trusted Types. */
interface TrustedTypes {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ) => { readonly createScriptURL: (url: string) => string };
}

let isAsked = false;

/**
 * Lets the browser keep the code of all screens, so that the UI opens without a server, and can be installed. Browsers
 * do so on `localhost` and by https.
 */
export async function keepShell(): Promise<void> {
  if (isAsked || !('serviceWorker' in navigator)) return;
  isAsked = true;
  const address = `${basePath()}/worker.js`;
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('coffer-worker', { createScriptURL: () => address });
  // The UI works without it.
  await navigator.serviceWorker
    .register(policy?.createScriptURL('') ?? address, { scope: `${basePath()}/` })
    .catch(() => undefined);
}
