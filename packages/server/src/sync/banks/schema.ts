import { Type, type Static } from 'typebox';
import {
  closed,
  count,
  dateTime,
  exampleOf,
  id,
  idPath,
  listOf,
  notBlank,
  nullable,
  object,
  optional,
  reference,
  text,
  textUpTo,
  word,
} from '../../operations/schema.ts';
import { PlaidAccount } from '../../ledger/accounts/plaid-schema.ts';
import { bankProviders } from './rules.ts';

/** Connections of a book. */
export const mostConnections = 20;

export const ConnectionPath = idPath('connection');

const name = notBlank(100, 'Name of the connection.');

export const Connection = object(
  'Connection',
  'A connection to banks: a bridge that reads accounts and their transactions. Its credentials are never shown.',
  {
    id: id('Id of the connection.'),
    provider: word(bankProviders, { description: 'The protocol of the bridge.' }),
    name,
    status: word(['active', 'relink', 'error'], {
      description:
        '`relink`: the bridge refuses the access. Remove the connection, and add it again with a new setup token; it ' +
        'continues the same accounts.',
    }),
    created_by_name: text('Name of the user who added it.'),
    created_at: dateTime('When it was added.'),
    updated_at: dateTime('When it last changed.'),
    last_read: nullable(dateTime('When it was last read; null if it was not.')),
    problems: Type.Array(Type.String(), {
      description: 'What the bank or the bridge reported with the last reading, in sentences.',
    }),
    accounts: Type.Array(
      closed({
        id: PlaidAccount.properties.id,
        name: text('Name to show.'),
        institution_name: PlaidAccount.properties.institution_name,
        status: PlaidAccount.properties.status,
      }),
      { description: 'The synced accounts into which it reads, by id.' },
    ),
  },
  {
    example: {
      id: 2,
      provider: 'simplefin',
      name: 'My banks',
      status: 'active',
      created_by_name: 'Ada',
      created_at: '2026-03-01T09:00:00.000Z',
      updated_at: '2026-03-15T06:00:00.000Z',
      last_read: '2026-03-15T06:00:00.000Z',
      problems: ['First Bank: sign in again'],
      accounts: [{ id: 3, name: 'Card', institution_name: 'First Bank', status: 'active' }],
    },
  },
);
export type Connection = Static<typeof Connection>;

export const Connections = object('Connections', 'All connections of the book.', {
  setup: word(['on', 'off', 'no_key'], {
    description:
      'Whether connections can be added by a request. `off`: the operator has not set `BANK_SETUP` to `on`. `no_key`: ' +
      'the server has no `ENCRYPTION_KEY`.',
  }),
  connections: listOf(Connection, 'By id.'),
});

export const ConnectionInsert = object(
  'ConnectionInsert',
  'A connection to add.',
  {
    setup_token: textUpTo(
      4000,
      'The setup token of a SimpleFIN bridge: the Base64 form of an https URL. It can be used once.',
    ),
    name: optional(name),
  },
  {
    example: {
      setup_token: 'aHR0cHM6Ly9icmlkZ2UuZXhhbXBsZS5jb20vY2xhaW0vZGVtbw==',
      name: 'My banks',
    },
  },
);

export const ConnectionReading = object(
  'ConnectionReading',
  'What a reading changed.',
  {
    connection: reference(Connection),
    added: count('New transactions.'),
    changed: count('Transactions that the bank changed, or posted.'),
    withdrawn: count('Transactions that the bank no longer has.'),
  },
  { example: { connection: exampleOf(Connection), added: 12, changed: 1, withdrawn: 0 } },
);

/** Why a connection cannot be added, by what the operator has not set. */
export const setupProblems = {
  off: 'Connections cannot be added here: the operator has to set BANK_SETUP=on',
  no_key:
    'The server has no encryption key, and credentials are only stored encrypted: set ENCRYPTION_KEY',
} as const;

/** The refusals that the document shows. */
export const lackExamples = {
  off: {
    summary: 'The operator does not allow it',
    value: { message: 'Conflict', errors: [{ errMsg: setupProblems.off }] },
  },
  noKey: {
    summary: 'The server has no key',
    value: { message: 'Conflict', errors: [{ errMsg: setupProblems.no_key }] },
  },
};
