import assert from 'node:assert/strict';

/** The parts of a response that the checks below read; injected and received responses have this form. */
interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface ErrorBody {
  readonly message: string;
  readonly errors: Record<string, unknown>[];
}

const sixNames = ['limit', 'remaining', 'reset'].flatMap((name) => [
  `ratelimit-${name}`,
  `x-ratelimit-${name}`,
]);

/** Asserts that the six headers exist, in digits, and that each pair is equal. */
export function assertCounted({ headers, statusCode }: Answer): void {
  for (const name of sixNames)
    assert.match(String(headers[name]), /^\d+$/, `${name} at ${statusCode}`);
  for (const name of ['limit', 'remaining', 'reset']) {
    assert.equal(headers[`ratelimit-${name}`], headers[`x-ratelimit-${name}`]);
  }
}

export function assertUncounted({ headers }: Answer): void {
  for (const name of [...sixNames, 'retry-after']) assert.equal(headers[name], undefined, name);
}

export function assertErrorFormat({ headers, body, statusCode }: Answer): ErrorBody {
  assert.equal(headers['content-type'], 'application/json; charset=utf-8', String(statusCode));
  const parsed = JSON.parse(body) as ErrorBody;
  assert.deepEqual(Object.keys(parsed), ['message', 'errors']);
  assert.equal(typeof parsed.message, 'string');
  assert.ok(parsed.errors.length > 0);
  for (const error of parsed.errors) assert.equal(typeof error['errMsg'], 'string');
  return parsed;
}

/** Asserts the headers of every response. Public responses may be cached, but must be revalidated each time. */
export function assertBaseHeaders({ headers }: Answer): void {
  assert.match(String(headers['cache-control']), /^(no-store|no-cache)$/);
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['referrer-policy'], 'no-referrer');
}
