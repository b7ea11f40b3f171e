import type { Row } from '../../db/table.ts';
import type { passkeys } from '../../db/tables/tables.ts';
import { changed, created, noContent, ok } from '../../operations/responses.ts';
import { open, outside, read } from '../../operations/operation.ts';
import type { Operation } from '../../operations/operation.ts';
import {
  beginCreation,
  beginSignIn,
  createPasskey,
  listPasskeys,
  removePasskey,
} from './actions.ts';
import * as schema from './schema.ts';

const shared = { tag: 'passkeys', needsSession: true } as const;
const all = { ...shared, path: '/coffer/passkeys' } as const;

/** The operations of passkeys. */
export const passkeyRoutes: readonly Operation[] = [
  open(
    'POST',
    {
      tag: 'passkeys',
      path: '/coffer/session/passkey',
      id: 'requestPasskey',
      summary: 'Begin to sign in with a passkey',
      description:
        'Returns the options for `navigator.credentials.get()`. Passkeys need a host name: on an IP address the request ' +
        'is refused with 400.',
      response: changed(schema.PasskeyRequest, 'The challenge and the options.'),
    },
    ({ client }, engine) => beginSignIn(engine, client.host),
  ),
  read(
    {
      ...all,
      id: 'getAllPasskeys',
      summary: 'List passkeys',
      response: ok(schema.PasskeyList, 'The passkeys.'),
    },
    function* ({ identity }) {
      return { passkeys: (yield* listPasskeys(identity.user.id)).map(toWire) };
    },
    { isVolatile: true },
  ),
  outside(
    'POST',
    {
      ...shared,
      path: '/coffer/passkeys/options',
      id: 'requestNewPasskey',
      summary: 'Begin to add a passkey',
      description:
        'Returns the options for `navigator.credentials.create()`. Passkeys need a host name: on an IP address the ' +
        'request is refused with 400. The session must have begun in the last 15 minutes, otherwise the response is 403.',
      response: changed(schema.PasskeyRequest, 'The challenge and the options.'),
    },
    ({ identity, client }, engine) => beginCreation(engine, identity, client.host),
  ),
  outside(
    'POST',
    {
      ...all,
      id: 'createPasskey',
      summary: 'Add a passkey',
      description:
        'The authenticator must have verified the user, by a PIN or a finger. The passkey works for the host of the page.',
      body: schema.PasskeyInsert,
      response: created(schema.Passkey, 'The new passkey.'),
    },
    async ({ identity, client, body: { challenge_id: challengeId, credential, name } }, engine) => {
      const sent = { challengeId, credential, name };
      return toWire(await createPasskey(engine, identity.user.id, sent, client));
    },
  ),
  outside(
    'DELETE',
    {
      ...shared,
      path: '/coffer/passkeys/{id}',
      params: schema.PasskeyPath,
      id: 'deletePasskey',
      summary: 'Remove a passkey',
      description: 'It no longer signs in. Sessions that it began go on until they are ended.',
      response: noContent('The passkey is removed.'),
    },
    ({ identity, params }, engine) =>
      engine.write(() => removePasskey(identity.user.id, params.id)),
  ),
];

function toWire(row: Row<typeof passkeys>): schema.Passkey {
  const { id, name, host, created_at, used_at: last_used_at } = row;
  return { id, name, host, created_at, last_used_at };
}
