import type { components } from '@coffer/client/openapi-types';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';

type Schemas = components['schemas'];
export type Session = Schemas['Session'];
export type BackupState = Schemas['BackupState'];
export type Passkey = Schemas['Passkey'];
export type AccessToken = Schemas['AccessToken'];
export type NewAccessToken = Schemas['NewAccessToken'];
export type Webhook = Schemas['Webhook'];
export type NewWebhook = Schemas['NewWebhook'];
export type WebhookInsert = Schemas['WebhookInsert'];
export type WebhookUpdate = Schemas['WebhookUpdate'];
export type WebhookAttempt = Schemas['WebhookAttempt'];

const areas = {
  sessions: ['settings', 'sessions'],
  passkeys: ['settings', 'passkeys'],
  tokens: ['settings', 'tokens'],
  webhooks: ['settings', 'webhooks'],
  backups: ['settings', 'backups'],
} as const;

function useList<T>(
  area: readonly string[],
  path: string,
  name: string,
  options: { readonly staleTime?: number } = {},
): UseQueryResult<T[]> {
  return useQuery({
    ...options,
    queryKey: area,
    queryFn: async ({ signal }) =>
      (await request<Record<string, T[]>>('GET', path, { signal }))[name] ?? [],
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
  return useQuery({
    staleTime: 0,
    queryKey: areas.backups,
    queryFn: ({ signal }) => request<BackupState>('GET', '/coffer/backups', { signal }),
  });
}

/** The webhooks of the book. */
export function useWebhooks(): UseQueryResult<Webhook[]> {
  return useList(areas.webhooks, '/coffer/webhooks', 'webhooks');
}

/** The attempts of a webhook, the newest first; read at each look, because the server makes them without a request. */
export function useAttempts(id: number): UseQueryResult<WebhookAttempt[]> {
  const area = [...areas.webhooks, 'attempts', String(id)];
  return useList(area, `/coffer/webhooks/${id}/attempts`, 'attempts', { staleTime: 0 });
}

/** A write of the settings; afterwards their lists and the session are read again. */
function useWrite<Input, Output>(
  write: (input: Input) => Promise<Output>,
): UseMutationResult<Output, Error, Input> {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: write,
    // Not after a failure: while the server cannot be reached, the failure would wait for it.
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: ['settings'] });
      await cache.invalidateQueries({ queryKey: keys.session });
    },
  });
}

/** Ends sessions, one after another. */
export function useEndSessions(): UseMutationResult<void, Error, readonly number[]> {
  return useWrite(async (ids) => {
    for (const id of ids) await request('DELETE', `/coffer/sessions/${id}`);
  });
}

/** Sets the password. */
export function useSetPassword(): UseMutationResult<unknown, Error, Schemas['PasswordUpdate']> {
  return useWrite((body) => request('PUT', '/coffer/password', { body }));
}

/** Makes a passkey on this device and adds it. Throws a DOMException when the user cancels. */
export function useAddPasskey(): UseMutationResult<Passkey, Error, string> {
  return useWrite(async (name) => {
    const { challenge_id, options } = await request<{
      readonly challenge_id: string;
      readonly options: PublicKeyCredentialCreationOptionsJSON;
    }>('POST', '/coffer/passkeys/options', { body: {} });
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const credential = await navigator.credentials.create({ publicKey });
    return request<Passkey>('POST', '/coffer/passkeys', {
      body: { challenge_id, credential, name },
    });
  });
}

/** Removes a passkey. */
export function useRemovePasskey(): UseMutationResult<unknown, Error, number> {
  return useWrite((id) => request('DELETE', `/coffer/passkeys/${id}`));
}

/** Makes an access token. */
export function useMakeToken(): UseMutationResult<
  NewAccessToken,
  Error,
  Schemas['AccessTokenInsert']
> {
  return useWrite((body) => request('POST', '/coffer/tokens', { body }));
}

/** Revokes an access token. */
export function useRevokeToken(): UseMutationResult<unknown, Error, number> {
  return useWrite((id) => request('DELETE', `/coffer/tokens/${id}`));
}

/** Creates a webhook. */
export function useCreateWebhook(): UseMutationResult<NewWebhook, Error, WebhookInsert> {
  return useWrite((body) => request('POST', '/coffer/webhooks', { body }));
}

/** Changes a webhook. */
export function useUpdateWebhook(id: number): UseMutationResult<Webhook, Error, WebhookUpdate> {
  return useWrite((body) => request('PUT', `/coffer/webhooks/${id}`, { body }));
}

/** Deletes a webhook. */
export function useDeleteWebhook(id: number): UseMutationResult<unknown, Error, void> {
  return useWrite(() => request('DELETE', `/coffer/webhooks/${id}`));
}

/** Replaces the secret of a webhook. */
export function useRotateSecret(id: number): UseMutationResult<NewWebhook, Error, void> {
  return useWrite(() => request('POST', `/coffer/webhooks/${id}/rotate`, { body: {} }));
}

/** Sends a test to a webhook. */
export function usePing(id: number): UseMutationResult<WebhookAttempt, Error, void> {
  return useWrite(() => request('POST', `/coffer/webhooks/${id}/ping`, { body: {} }));
}

/** Sends the event of an attempt again. */
export function useResend(id: number): UseMutationResult<unknown, Error, number> {
  return useWrite((attempt) =>
    request('POST', `/coffer/webhooks/${id}/redeliver`, { body: { attempt } }),
  );
}
