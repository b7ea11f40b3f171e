import { quote } from '@coffer/core/text';
import { Problem } from '../operations/problem.ts';
import { headerLines } from './server/routing.ts';

const maxLength = 255;

/**
 * Returns the Idempotency-Key of a request, if it has one: 1 to 255 characters without control characters. Throws a
 * {@link Problem} for another value, and for more than one.
 */
export function idempotencyKeyOf(rawHeaders: readonly string[]): { idempotencyKey?: string } {
  const lines = headerLines(rawHeaders, 'idempotency-key');
  const [key] = lines;
  if (key === undefined) return {};
  if (lines.length > 1) throw invalid(`once, not ${lines.length} times`);
  if (key.length > 0 && key.length <= maxLength && !/\p{Cc}/u.test(key))
    return { idempotencyKey: key };
  throw invalid(
    `with 1 to ${maxLength} characters and no control characters, not ${quote(key)} (${key.length} characters)`,
  );
}

function invalid(expected: string): Problem {
  const errMsg = `The header Idempotency-Key must be sent ${expected}`;
  return new Problem('malformedRequest', {
    details: [{ errMsg, instancePath: '/header/Idempotency-Key' }],
  });
}
