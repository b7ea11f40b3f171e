import { Type } from 'typebox';
import { errorTable } from './errors.ts';
import type { Examples } from './examples.ts';
import { closed, component, object, text } from './schema.ts';

/** How operations of v1 refuse a request: the status, the key of the body, and whether it is always a list. */
export interface FormV1 {
  readonly status: 200 | 400 | 404;
  readonly key: 'error' | 'errors';
  /** A single problem is a list too. */
  readonly isList?: true;
}

const problem = text('What is wrong, in words.');
const texts = Type.Array(problem, { minItems: 1, description: 'All problems found, in words.' });

/** The body of a request that v1 refuses. */
export const ErrorV1 = component(
  'ErrorV1',
  Type.Union([closed({ error: Type.Union([problem, texts]) }), closed({ errors: texts })], {
    title: 'Error of v1',
    description: 'Why a request was refused.',
  }),
);

const named = { message: problem, name: text('Name of the class of error.') };

export const NamedErrorV1 = object('NamedErrorV1', 'Why the access token was refused.', named);
export const SyntaxErrorV1 = object('SyntaxErrorV1', 'Why the request could not be parsed.', named);

/** The body for a request without a valid token. */
export const tokenErrorV1 = { name: 'Error', message: errorTable.invalidToken.errMsg };
/** The body for a request that is not JSON. */
export const syntaxErrorV1 = { name: 'SyntaxError', message: 'The body is not JSON' };
const problems = ['Transaction 0 is missing date.', 'Transaction 0 is missing amount.'];

/** Example bodies of the refusals that operations of v1 share. */
export const examplesV1 = {
  token: { invalid: { summary: 'The token is unknown or missing', value: tokenErrorV1 } },
  malformed: { syntax: { summary: 'The body is not JSON', value: syntaxErrorV1 } },
  refused: {
    missing: { summary: 'No such record', value: { error: 'Transaction ID not found.' } },
    invalid: { summary: 'All problems of the request', value: { error: problems } },
  },
} as const satisfies Record<string, Examples>;
