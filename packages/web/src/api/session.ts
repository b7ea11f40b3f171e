import type { QueryClient } from '@tanstack/react-query';
import type { Schemas, SessionInfo } from '../books/types.ts';
import { connection } from './connection.ts';
import { rememberSession } from './last-session.ts';
import { basePath, request } from './request.ts';

const outside = { needsSession: false } as const;

/** Returns who is signed in. */
export function getSession(): Promise<SessionInfo> {
  return request('GET /coffer/session', outside);
}

/** Signs in, and lets requests go on that wait for it. */
export async function signIn(credentials: Schemas['SignIn']): Promise<SessionInfo> {
  return begun(await request('POST /coffer/session', { body: credentials, ...outside }));
}

/** Signs in with a passkey that the user chooses. Throws a DOMException when the user cancels. */
export async function signInWithPasskey(): Promise<SessionInfo> {
  const { challenge_id, options } = await request('POST /coffer/session/passkey', outside);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = inJson(await navigator.credentials.get({ publicKey }));
  const body = { method: 'passkey', challenge_id, credential } as const;
  return begun(await request('POST /coffer/session', { body, ...outside }));
}

/** A passkey or its signature as it is sent. */
export function inJson(credential: Credential | null): Readonly<Record<string, unknown>> {
  return { ...(credential as PublicKeyCredential).toJSON() };
}

/** Returns whether this browser offers passkeys here: only in a secure context, and not on an IP address. */
export function offersPasskeys(): boolean {
  const isAddress = /^[\d.]+$|:/.test(location.hostname);
  return isSecureContext && 'PublicKeyCredential' in globalThis && !isAddress;
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await request('DELETE /coffer/session', outside);
}

/** Goes to the way in, with nothing kept of the session. */
export function leave(cache: QueryClient): void {
  rememberSession(null);
  cache.clear();
  location.assign(`${basePath()}/sign-in`);
}

function begun(info: SessionInfo): SessionInfo {
  connection.change({ isSignedOut: false });
  return info;
}
