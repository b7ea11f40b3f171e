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

export const PasskeyRequest = object('PasskeyRequest', 'What a browser needs to use a passkey.', {
  challenge_id: text('Must be sent back with the result, once.'),
  options: anyObject(
    'The options for `navigator.credentials`, in the form that `parseRequestOptionsFromJSON()` and ' +
      '`parseCreationOptionsFromJSON()` of `PublicKeyCredential` read.',
  ),
});

export const PasskeyInsert = object('PasskeyInsert', 'A passkey to add.', {
  challenge_id: challengeId,
  credential,
  name: notBlank(100, 'Name of the passkey, such as that of the device.'),
});

export const Passkey = object('Passkey', 'A public key with which the user signs in.', {
  id: id('Id of the passkey.'),
  name: text('Name of the passkey.'),
  host: text('Name of the host that it works for.'),
  created_at: dateTime('When it was added.'),
  last_used_at: nullable(dateTime('When it last signed in; null for never.')),
});
export type Passkey = Static<typeof Passkey>;

export const PasskeyList = object('PasskeyListResponse', 'All passkeys of the user.', {
  passkeys: listOf(Passkey, 'By id.'),
});
