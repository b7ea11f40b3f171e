import type { Session, SessionState, SignIn } from './schema.ts';

const session: Session = {
  id: 4,
  method: 'link',
  created_at: '2026-03-01T09:00:00.000Z',
  last_seen_at: '2026-03-15T06:30:00.000Z',
  ends_at: '2026-04-14T06:30:00.000Z',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64)',
  is_current: true,
};
const other: Session = {
  ...session,
  id: 2,
  method: 'passkey',
  user_agent: null,
  is_current: false,
  last_seen_at: '2026-03-14T18:00:00.000Z',
  ends_at: '2026-04-13T18:00:00.000Z',
};
const signedIn: SessionState = {
  session,
  user: { id: 1, name: 'Ada Quill', email: 'ada@example.org' },
  book: { id: 1, name: 'Household', primary_currency: 'eur' },
  has_password: false,
  passkey_count: 1,
};
const nobody: SessionState = {
  session: null,
  user: null,
  book: null,
  has_password: null,
  passkey_count: null,
};
const byLink: SignIn = { method: 'link', secret: 'kGm0xq9Yh0c1n5n6l8v2bQ' };
const byPassword: SignIn = {
  method: 'password',
  email: 'ada@example.org',
  password: 'correct horse battery',
};
const byPasskey: SignIn = {
  method: 'passkey',
  challenge_id: '9k0JtZ3m1s0d6pK2rX3b5n7ZyLfQeTgUiOaPsDkqWv0',
  credential: {
    id: 'q7Yh0c1n5n6l8v2b3Fz4Tg',
    rawId: 'q7Yh0c1n5n6l8v2b3Fz4Tg',
    type: 'public-key',
    response: { clientDataJSON: 'eyJ0', authenticatorData: 'SZYN', signature: 'MEUC' },
    clientExtensionResults: {},
  },
};

/** Example bodies; tests check each against its schema. */
export const sessionExamples = {
  signIn: {
    link: { summary: 'With a link', value: byLink },
    password: { summary: 'With a password', value: byPassword },
    passkey: { summary: 'With a passkey', value: byPasskey },
  },
  signedIn: { signedIn: { summary: 'A user who is signed in', value: signedIn } },
  state: {
    signedIn: { summary: 'A user who is signed in', value: signedIn },
    nobody: { summary: 'Nobody is signed in', value: nobody },
  },
  list: { sessions: { summary: 'Two browsers', value: { sessions: [session, other] } } },
  password: {
    first: { summary: 'A first password', value: { password: 'correct horse battery' } },
    next: {
      summary: 'Another password',
      value: { current_password: 'correct horse battery', password: 'staple of horses' },
    },
  },
};
