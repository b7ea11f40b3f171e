import type { TSchema } from 'typebox';
import type { ErrorBody } from './error-body.ts';
import { asJson, exampleOf } from './schema.ts';
import {
  cryptoBalanceNotFound,
  errorTable,
  recordNotFound,
  unknownHost,
  versionPruned,
} from './errors.ts';
import type { ErrorKind } from './errors.ts';

/** An example of a whole body, with a line about it. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export type Examples = Readonly<Record<string, Example>>;

/** Returns the examples of a body: its own ones if it has any, otherwise that of its component. */
export function examplesOf(schema: TSchema, own?: Examples): Examples {
  return own ?? { example: { summary: String(asJson(schema).title), value: exampleOf(schema) } };
}

/** The body of an error of a kind. */
function bodyOf(kind: ErrorKind, detail: Partial<ErrorBody['errors'][number]> = {}): ErrorBody {
  const { message, errMsg } = errorTable[kind];
  return { message, errors: [{ errMsg, ...detail }] };
}

const tooSlow = bodyOf('gatewayTimeout', { reason: 'timeout' });
const keyRefused = bodyOf('badGateway', {
  errMsg: 'Coinbase refused the key (401)',
  reason: 'refused',
});

const limitTooLarge = bodyOf('validation', {
  errMsg: 'Query parameter limit must be at most 2000, not "2001"',
  instancePath: '/query/limit',
  schemaPath: '#/properties/query/properties/limit/maximum',
  keyword: 'maximum',
  params: { comparison: '<=', limit: 2000 },
});

const unknownParameter = bodyOf('validation', {
  errMsg: 'Unknown query parameter "strat_date"',
  instancePath: '/query',
  schemaPath: '#/properties/query/additionalProperties',
  keyword: 'additionalProperties',
  params: { additionalProperty: 'strat_date' },
});

const pruned = bodyOf('pruned', {
  errMsg: versionPruned(12, 340),
  version: 12,
  oldest_version: 340,
});

const otherName = bodyOf('misdirected', { errMsg: unknownHost('books.example') });

function missing(noun: string): ErrorBody {
  return bodyOf('recordNotFound', { errMsg: recordNotFound(noun, 543210) });
}

/** Example bodies of the shared refusals; tests check each against its schema. */
export const examples = {
  badRequest: {
    outOfBounds: { summary: 'limit=2001', value: limitTooLarge },
    unknownParameter: { summary: 'A misspelled parameter', value: unknownParameter },
  },
  unauthorized: {
    noToken: { summary: 'No token was sent', value: bodyOf('missingToken') },
    deadToken: {
      summary: 'The token is unknown, revoked or expired',
      value: bodyOf('invalidToken'),
    },
  },
  forbidden: {
    otherSite: { summary: 'From the page of another site', value: bodyOf('forbidden') },
  },
  misdirected: {
    otherName: { summary: 'Under a name that is not set', value: otherName },
  },
  notFound: {
    transaction: { summary: 'No such transaction', value: missing('transaction') },
    category: { summary: 'No such category', value: missing('category') },
    cryptoAccount: {
      summary: 'No such synced crypto account',
      value: missing('synced crypto account'),
    },
    cryptoBalance: {
      summary: 'An asset that the account does not hold',
      value: bodyOf('recordNotFound', { errMsg: cryptoBalanceNotFound('doge', 543210) }),
    },
  },
  tooEarly: { soon: { summary: 'A second request within 60 s', value: bodyOf('tooEarly') } },
  conflict: {
    underWay: { summary: 'The first request is under way', value: bodyOf('idempotencyKeyInUse') },
  },
  gone: { pruned: { summary: 'A version that was pruned', value: pruned } },
  keyReused: {
    otherBody: { summary: 'Another request had the key', value: bodyOf('idempotencyKeyReused') },
  },
  tooManyRequests: {
    spent: { summary: 'Too many requests in the window', value: bodyOf('tooManyRequests') },
  },
  internal: { fault: { summary: 'An error in the service', value: bodyOf('internal') } },
  badGateway: {
    refused: { summary: 'The provider refused the key', value: keyRefused },
  },
  gatewayTimeout: {
    late: { summary: 'The provider is too slow', value: tooSlow },
  },
  unavailable: {
    store: { summary: 'The database cannot be reached', value: bodyOf('unavailable') },
  },
} as const satisfies Record<string, Examples>;
