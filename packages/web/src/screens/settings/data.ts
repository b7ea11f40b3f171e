import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useGet } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import type { Schemas } from '../../books/types.ts';

export type Session = Schemas['Session'];
export type BackupState = Schemas['BackupState'];
export type Passkey = Schemas['Passkey'];
export type AccessToken = Schemas['AccessToken'];
export type NewAccessToken = Schemas['NewAccessToken'];
export type Webhook = Schemas['Webhook'];
export type NewWebhook = Schemas['NewWebhook'];
export type WebhookInsert = Schemas['WebhookInsert'];
export type WebhookAttempt = Schemas['WebhookAttempt'];

const areas = {
  sessions: ['settings', 'sessions'],
  passkeys: ['settings', 'passkeys'],
  tokens: ['settings', 'tokens'],
  webhooks: ['settings', 'webhooks'],
  backups: ['settings', 'backups'],
} as const;

function useList<T>(queryKey: readonly string[], path: string, name: string, staleTime?: number) {
  return useGet(path, {
    queryKey,
    pick: (body: Readonly<Record<string, T[]>>) => body[name] ?? [],
    ...(staleTime !== undefined && { staleTime }),
  });
}

/** The browsers that are signed in, this one first, then the last used. */
export function useSessions(): UseQueryResult<Session[]> {
  return useList(areas.sessions, '/coffer/sessions', 'sessions');
}

/** The passkeys of the user. */
export function usePasskeys(): UseQueryResult<Passkey[]> {
  return useList(areas.passkeys, '/coffer/passkeys', 'passkeys');
}

/** The access tokens of the book. */
export function useTokens(): UseQueryResult<AccessToken[]> {
  return useList(areas.tokens, '/coffer/tokens', 'tokens');
}

/** The backups that the server makes; read at each look, because it makes them without a request. */
export function useBackups(): UseQueryResult<BackupState> {
  return useGet('/coffer/backups', { staleTime: 0, queryKey: areas.backups });
}

/** The webhooks of the book. */
export function useWebhooks(): UseQueryResult<Webhook[]> {
  return useList(areas.webhooks, '/coffer/webhooks', 'webhooks');
}

/** The attempts of a webhook, the newest first; read at each look, because the server makes them without a request. */
export function useAttempts(id: number): UseQueryResult<WebhookAttempt[]> {
  const area = [...areas.webhooks, 'attempts', String(id)];
  return useList(area, `/coffer/webhooks/${id}/attempts`, 'attempts', 0);
}

/** Returns what writes: afterwards the lists of the settings and the session are read again. */
export function useWrite(): <T>(write: () => Promise<T>) => Promise<T> {
  const cache = useQueryClient();
  return async (write) => {
    // Not after a failure: while the server cannot be reached, the failure would wait for it.
    const written = await write();
    await cache.invalidateQueries({ queryKey: ['settings'] });
    await cache.invalidateQueries({ queryKey: keys.session });
    return written;
  };
}

/** Makes a passkey on this device and adds it. Throws a DOMException when the user cancels. */
export async function addPasskey(name: string): Promise<Passkey> {
  const { challenge_id, options } = await request<{
    readonly challenge_id: string;
    readonly options: PublicKeyCredentialCreationOptionsJSON;
  }>('POST', '/coffer/passkeys/options', { body: {} });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  return request('POST', '/coffer/passkeys', { body: { challenge_id, credential, name } });
}
