import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useRead } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import { inJson } from '../../api/session.ts';
import type { Schemas } from '../../books/types.ts';

export type Session = Schemas['Session'];
export type BackupState = Schemas['BackupState'];
export type Passkey = Schemas['Passkey'];
export type AccessToken = Schemas['AccessToken'];
export type Connection = Schemas['Connection'];
export type Webhook = Schemas['Webhook'];
export type WebhookInsert = Schemas['WebhookInsert'];
export type WebhookAttempt = Schemas['WebhookAttempt'];

/** The browsers that are signed in, this one first, then the last used. */
export function useSessions(): UseQueryResult<Session[]> {
  return useRead(keys.settings, 'GET /coffer/sessions', { select: ({ sessions }) => sessions });
}

/** The passkeys of the user. */
export function usePasskeys(): UseQueryResult<Passkey[]> {
  return useRead(keys.settings, 'GET /coffer/passkeys', { select: ({ passkeys }) => passkeys });
}

/** The access tokens of the book. */
export function useTokens(): UseQueryResult<AccessToken[]> {
  return useRead(keys.settings, 'GET /coffer/tokens', { select: ({ tokens }) => tokens });
}

/** The backups that the server makes; read at each look, because it makes them without a request. */
export function useBackups(): UseQueryResult<BackupState> {
  return useRead(keys.settings, 'GET /coffer/backups', { staleTime: 0 });
}

/** Where the server reads exchange rates and prices. */
export function useSources(): UseQueryResult<Schemas['Sources']> {
  return useRead(keys.settings, 'GET /coffer/sources', {});
}

/** The connections to banks, and whether one can be added. */
export function useConnections(): UseQueryResult<Schemas['Connections']> {
  return useRead(keys.settings, 'GET /coffer/connections', { staleTime: 0 });
}

/** The webhooks of the book. */
export function useWebhooks(): UseQueryResult<Webhook[]> {
  return useRead(keys.settings, 'GET /coffer/webhooks', { select: ({ webhooks }) => webhooks });
}

/** The attempts of a webhook, the newest first; read at each look, because the server makes them without a request. */
export function useAttempts(id: number): UseQueryResult<WebhookAttempt[]> {
  return useRead(keys.settings, 'GET /coffer/webhooks/{id}/attempts', {
    path: { id },
    staleTime: 0,
    select: ({ attempts }) => attempts,
  });
}

/** Returns what writes: afterwards the lists of the settings and the session are read again. */
export function useWrite(): <T>(write: () => Promise<T>) => Promise<T> {
  const cache = useQueryClient();
  return async (write) => {
    // Not after a failure: while the server cannot be reached, the failure would wait for it.
    const written = await write();
    await cache.invalidateQueries({ queryKey: keys.settings });
    await cache.invalidateQueries({ queryKey: keys.session });
    return written;
  };
}

/** Makes a passkey on this device and adds it. Throws a DOMException when the user cancels. */
export async function addPasskey(name: string): Promise<Passkey> {
  const { challenge_id, options } = await request('POST /coffer/passkeys/options', {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = inJson(await navigator.credentials.create({ publicKey }));
  return request('POST /coffer/passkeys', { body: { challenge_id, credential, name } });
}
