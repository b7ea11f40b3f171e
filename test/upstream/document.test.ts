import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  vendorOperations,
  vendorProblems,
} from '../../packages/server/src/http/testing/vendor-document.ts';
import { described } from '../../packages/server/src/all.ts';

/*
 * Every response of the suite is compared with the vendor's document when it is received. Every documented response of
 * our own document is provoked in test/spec/openapi.test.ts. The statuses of both are compared in scripts/reference.
 */

const ours = new Map(
  described().operations.map((each) => [
    `${each.method} ${each.declaration.path}`,
    each.declaration.id,
  ]),
);

test('every operation of their document exists, under its id', () => {
  for (const { name, id } of vendorOperations()) assert.equal(ours.get(name), id, name);
});

test('every operation below /v2/ is in their document', () => {
  const theirs = new Set(vendorOperations().map(({ name }) => name));
  for (const name of ours.keys()) if (name.includes(' /v2/')) assert.ok(theirs.has(name), name);
});

test('the comparison finds wrong responses', () => {
  const me = {
    name: 'Ada',
    email: 'ada@example.org',
    id: 1,
    account_id: 1,
    budget_name: 'B',
    primary_currency: 'eur',
    api_key_label: null,
  };
  const problems = (body: object, status = 200): string[] =>
    vendorProblems({ method: 'GET', target: '/v2/me', status, text: JSON.stringify(body) });
  assert.deepEqual(problems(me), []);
  assert.notDeepEqual(problems({ ...me, more: 1 }), []);
  assert.notDeepEqual(problems({ ...me, primary_currency: 'EUR' }), []);
  assert.notDeepEqual(problems({ ...me, account_id: null }), []);
  assert.notDeepEqual(problems(me, 418), []);
});
