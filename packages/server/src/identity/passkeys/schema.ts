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

export const PasskeyPath = idPath('passkey');

const challengeId = textUpTo(
  100,
  'The `challenge_id` that came with the options. It works once, for 5 minutes.',
);

const credential = anyObject(
  'What the browser returned, in the form of `PublicKeyCredential.toJSON()`.',
);

const challenge = '9k0JtZ3m1s0d6pK2rX3b5n7ZyLfQeTgUiOaPsDkqWv0';

export const PasskeyRequest = object(
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

export const PasskeyInsert = object(
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

export const PasskeyList = object('PasskeyListResponse', 'All passkeys of the user.', {
  passkeys: listOf(Passkey, 'By id.'),
});
