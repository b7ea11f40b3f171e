import type { AccessToken, NewAccessToken } from './schema.ts';

const one: AccessToken = {
  id: 12,
  label: 'laptop',
  created_at: '2026-03-01T09:00:00.000Z',
  last_used_at: '2026-03-15T06:30:00.000Z',
  expires_at: null,
};
const made: NewAccessToken = {
  ...one,
  id: 13,
  label: 'backup',
  last_used_at: null,
  expires_at: '2027-01-01T00:00:00.000Z',
  token: 'coffer_…',
};

/** Example bodies; tests check each against its schema. */
export const tokenExamples = {
  list: { tokens: { summary: 'A book with one token', value: { tokens: [one] } } },
  insert: {
    backup: {
      summary: 'A token for a year',
      value: { label: 'backup', expires_at: '2027-01-01T00:00:00.000Z' },
    },
  },
  created: { made: { summary: 'The new token', value: made } },
};
