import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from './problem.ts';
import { formsV1, problemInV1, refusedV1, signed, withoutNulls } from './v1.ts';

test('a refusal is a text, or a list where it has several or the area wants one', () => {
  assert.deepEqual(refusedV1(formsV1.categories, 'a').body, { error: 'a' });
  assert.deepEqual(refusedV1(formsV1.categories, 'a', 'b').body, { error: ['a', 'b'] });
  assert.deepEqual(refusedV1(formsV1.transactions, 'a').body, { error: ['a'] });
  assert.deepEqual(refusedV1(formsV1.accounts, 'a').body, { errors: ['a'] });
});

test('a problem of the request has the form of its operation, others that of v2', () => {
  const missing = new Problem('recordNotFound');
  const sent = problemInV1(missing, formsV1.recurring);
  assert.deepEqual(sent?.body, { error: 'There is no such record' });
  assert.equal(sent.status, 404);
  assert.equal(problemInV1(missing, undefined), null);
  for (const kind of ['tooManyRequests', 'internal', 'methodNotAllowed'] as const)
    assert.equal(problemInV1(new Problem(kind), formsV1.recurring), null);
  const details = Array.from({ length: 101 }, (_, at) => ({ errMsg: String(at) }));
  const many = problemInV1(new Problem('validation', { details }), formsV1.accounts);
  assert.equal((many?.body as { errors: string[] }).errors.length, 100);
});

test('a sign is turned round, but never that of zero', () => {
  for (const [amount, negated] of [
    ['1.5000', '-1.5000'],
    ['-1.5000', '1.5000'],
    ['0.0000', '0.0000'],
    ['0', '0'],
  ] as const) {
    assert.equal(signed(amount, true), negated);
    assert.equal(signed(amount, false), amount);
  }
});

test('null is not given, false and zero are', () => {
  const body = { a: null, b: 0, c: false, d: '', e: undefined };
  assert.deepEqual(withoutNulls(body), { b: 0, c: false, d: '' });
});
