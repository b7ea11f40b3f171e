import type { Passkey } from './schema.ts';

const challenge = '9k0JtZ3m1s0d6pK2rX3b5n7ZyLfQeTgUiOaPsDkqWv0';
const clientDataJSON =
  'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwib3JpZ2luIjoiaHR0cDovL2xvY2FsaG9zdDo4MDgwIn0';
const one: Passkey = {
  id: 2,
  name: 'Laptop',
  host: 'localhost',
  created_at: '2026-03-01T09:00:00.000Z',
  last_used_at: '2026-03-15T06:30:00.000Z',
};
const credential = {
  id: 'q7Yh0c1n5n6l8v2b3Fz4Tg',
  rawId: 'q7Yh0c1n5n6l8v2b3Fz4Tg',
  type: 'public-key',
  response: { clientDataJSON, attestationObject: 'o2NmbXRkbm9uZQ', transports: ['internal'] },
  clientExtensionResults: {},
};
const rp = { name: 'Coffer', id: 'localhost' };
const user = { id: 'b3Fz4Tg', name: 'ada@example.org', displayName: 'Ada Quill' };
const forCreation = { challenge, rp, user, pubKeyCredParams: [{ alg: -7, type: 'public-key' }] };
const forSignIn = { challenge, rpId: 'localhost', userVerification: 'required', timeout: 60_000 };

/** Example bodies; tests check each against its schema. */
export const passkeyExamples = {
  signIn: {
    anyKey: {
      summary: 'For any passkey of the host',
      value: { challenge_id: challenge, options: forSignIn },
    },
  },
  creation: {
    newKey: {
      summary: 'For a new passkey',
      value: { challenge_id: challenge, options: forCreation },
    },
  },
  insert: {
    laptop: {
      summary: 'A new passkey',
      value: { challenge_id: challenge, credential, name: 'Laptop' },
    },
  },
  one: { laptop: { summary: 'A passkey', value: { ...one, last_used_at: null } } },
  list: { passkeys: { summary: 'A user with one passkey', value: { passkeys: [one] } } },
};
