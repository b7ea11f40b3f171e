import { errorTable } from './errors.ts';
import type { Example } from './examples.ts';

/** How operations of v1 refuse a request: the status, the key of the body, and whether it is always a list. */
export interface FormV1 {
  readonly status: 200 | 400 | 404;
  readonly key: 'error' | 'errors';
  /** A single problem is a list too. */
  readonly isList?: true;
}

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
} as const satisfies Record<string, Record<string, Example>>;
