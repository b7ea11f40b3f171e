import type { ErrorDetail } from './errors.ts';
import { quote } from './quote.ts';

/**
 * What is wrong with a body that was sent to an operation which takes none: each property of an object, or the body.
 *
 * An empty body (undefined) and an empty object are in order: some clients send one for want of anything to say.
 */
export function bodyProblems(body: unknown): ErrorDetail[] {
  if (body === undefined) return [];
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [wrongType(body)];
  return Object.keys(body).map((name) => ({
    errMsg: `Unknown body property ${quote(name)}`,
    instancePath: '/body',
    schemaPath: '#/properties/body/additionalProperties',
    keyword: 'additionalProperties',
    params: { additionalProperty: name },
  }));
}

function wrongType(body: unknown): ErrorDetail {
  return {
    errMsg: `The body must be empty or an empty object, not ${quote(JSON.stringify(body))}`,
    instancePath: '/body',
    schemaPath: '#/properties/body/type',
    keyword: 'type',
    params: { type: 'object' },
  };
}
