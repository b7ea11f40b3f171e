import type { SessionInfo } from '../books/types.ts';
import { connection } from './connection.ts';
import { request } from './request.ts';

/** A way to sign in: the secret of a link, or an e-mail address with its password. */
export type Credentials =
  | { readonly method: 'link'; readonly secret: string }
  | { readonly method: 'password'; readonly email: string; readonly password: string };

const outside = { needsSession: false } as const;

/** Returns who is signed in. */
export function getSession(): Promise<SessionInfo> {
  return request('GET', '/coffer/session', outside);
}

/** Signs in, and lets requests go on that wait for it. */
export async function signIn(credentials: Credentials): Promise<SessionInfo> {
  return begun(await request('POST', '/coffer/session', { body: credentials, ...outside }));
}

/** Signs in with a passkey that the user chooses. Throws a DOMException when the user cancels. */
export async function signInWithPasskey(): Promise<SessionInfo> {
  const path = '/coffer/session/passkey';
  const challenge = await request<{
    readonly challenge_id: string;
    readonly options: PublicKeyCredentialRequestOptionsJSON;
  }>('POST', path, { body: {}, ...outside });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(challenge.options);
  const credential = await navigator.credentials.get({ publicKey });
  const body = { method: 'passkey', challenge_id: challenge.challenge_id, credential };
  return begun(await request('POST', '/coffer/session', { body, ...outside }));
}

/** Returns whether this browser offers passkeys here: only in a secure context, and not on an IP address. */
export function offersPasskeys(): boolean {
  const isAddress = /^[\d.]+$|:/.test(location.hostname);
  return isSecureContext && 'PublicKeyCredential' in globalThis && !isAddress;
}

/** Ends the session. */
export function signOut(): Promise<void> {
  return request('DELETE', '/coffer/session', outside);
}

function begun(info: SessionInfo): SessionInfo {
  connection.change({ isSignedOut: false });
  return info;
}
