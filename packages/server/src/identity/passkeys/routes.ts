import type { Row } from '../../db/table.ts';
import type { passkeys } from '../../db/tables/tables.ts';
import { changed, created, noContent, ok } from '../../operations/responses.ts';
import { open, outside, read, type Operation } from '../../operations/operation.ts';
import {
  beginCreation,
  beginSignIn,
  createPasskey,
  listPasskeys,
  removePasskey,
} from './actions.ts';
import type { Static } from 'typebox';
import {
  anyObject,
  dateTime,
  id,
  idPath,
  listOf,
  notBlank,
  nullable,
  object,
  text,
  textUpTo,
} from '../../operations/schema.ts';

const PasskeyPath = idPath('passkey');

const challengeId = textUpTo(
  100,
  'The `challenge_id` that came with the options. It works once, for 5 minutes.',
);

const credential = anyObject(
  'What the browser returned, in the form of `PublicKeyCredential.toJSON()`.',
);

const challenge = '9k0JtZ3m1s0d6pK2rX3b5n7ZyLfQeTgUiOaPsDkqWv0';

const PasskeyRequest = object(
  'PasskeyRequest',
  'What a browser needs to use a passkey.',
  {
    challenge_id: text('Must be sent back with the result, once.'),
    options: anyObject(
      'The options for `navigator.credentials`, in the form that `parseRequestOptionsFromJSON()` and ' +
        '`parseCreationOptionsFromJSON()` of `PublicKeyCredential` read.',
    ),
  },
  {
    example: {
      challenge_id: challenge,
      options: { challenge, rpId: 'localhost', userVerification: 'required', timeout: 60_000 },
    },
  },
);

const PasskeyInsert = object(
  'PasskeyInsert',
  'A passkey to add.',
  {
    challenge_id: challengeId,
    credential,
    name: notBlank(100, 'Name of the passkey, such as that of the device.'),
  },
  {
    example: {
      challenge_id: challenge,
      credential: {
        id: 'q7Yh0c1n5n6l8v2b3Fz4Tg',
        rawId: 'q7Yh0c1n5n6l8v2b3Fz4Tg',
        type: 'public-key',
        response: { clientDataJSON: 'eyJ0', attestationObject: 'o2NmbXRkbm9uZQ' },
        clientExtensionResults: {},
      },
      name: 'Laptop',
    },
  },
);

export const Passkey = object(
  'Passkey',
  'A public key with which the user signs in.',
  {
    id: id('Id of the passkey.'),
    name: text('Name of the passkey.'),
    host: text('Name of the host that it works for.'),
    created_at: dateTime('When it was added.'),
    last_used_at: nullable(dateTime('When it last signed in; null for never.')),
  },
  {
    example: {
      id: 2,
      name: 'Laptop',
      host: 'localhost',
      created_at: '2026-03-01T09:00:00.000Z',
      last_used_at: '2026-03-15T06:30:00.000Z',
    },
  },
);
export type Passkey = Static<typeof Passkey>;

const PasskeyList = object('PasskeyListResponse', 'All passkeys of the user.', {
  passkeys: listOf(Passkey, 'By id.'),
});

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
      response: changed(PasskeyRequest, 'The challenge and the options.'),
    },
    ({ client }, engine) => beginSignIn(engine, client.host),
  ),
  read(
    {
      ...all,
      id: 'getAllPasskeys',
      summary: 'List passkeys',
      response: ok(PasskeyList, 'The passkeys.'),
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
      response: changed(PasskeyRequest, 'The challenge and the options.'),
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
      body: PasskeyInsert,
      response: created(Passkey, 'The new passkey.'),
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
      params: PasskeyPath,
      id: 'deletePasskey',
      summary: 'Remove a passkey',
      description: 'It no longer signs in. Sessions that it began go on until they are ended.',
      response: noContent('The passkey is removed.'),
    },
    ({ identity, params }, engine) =>
      engine.write(() => removePasskey(identity.user.id, params.id)),
  ),
];

function toWire(row: Row<typeof passkeys>): Passkey {
  const { id, name, host, created_at, used_at: last_used_at } = row;
  return { id, name, host, created_at, last_used_at };
}
