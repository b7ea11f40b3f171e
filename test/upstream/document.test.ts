import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  vendorOperations,
  vendorProblems,
} from '../../packages/server/src/http/testing/vendor-document.ts';
import {
  otherStatus,
  unusedStatuses,
} from '../../packages/server/src/http/testing/vendor-differences.ts';
import { described } from '../../packages/server/src/all.ts';
import { responsesOf } from '../../packages/server/src/operations/declaration.ts';

/*
 * Every response of the suite is compared with the vendor's document when it is received. Every documented response of
 * our own document is provoked in test/spec/openapi.test.ts. So it remains to show that ours documents all of theirs.
 */

const ours = new Map(
  described().operations.map((each) => [
    `${each.method} ${each.declaration.path}`,
    { id: each.declaration.id, statuses: Object.keys(responsesOf(each)).map(Number) },
  ]),
);

test('every operation of their document exists, under its id', () => {
  for (const { name, id } of vendorOperations()) assert.equal(ours.get(name)?.id, id, name);
});

test('every operation below /v2/ is in their document', () => {
  const theirs = new Set(vendorOperations().map(({ name }) => name));
  for (const name of ours.keys()) if (name.includes(' /v2/')) assert.ok(theirs.has(name), name);
});

/** An operation and a status, out of the key of a difference. */
function placeOf(key: string): readonly [name: string, status: number] {
  const at = key.lastIndexOf(' ');
  return [key.slice(0, at), Number(key.slice(at + 1))];
}

test('every status of their document is one of ours', () => {
  const replaced = new Map(
    Object.entries(otherStatus).map(([key, status]) => {
      const [name, own] = placeOf(key);
      return [`${name} ${status}`, own];
    }),
  );
  for (const { name, statuses } of vendorOperations())
    for (const status of statuses) {
      if (Object.hasOwn(unusedStatuses, `${name} ${status}`)) continue;
      const expected = replaced.get(`${name} ${status}`) ?? status;
      assert.ok(ours.get(name)?.statuses.includes(expected), `${name} ${expected}`);
    }
});

test('no operation documents a status that is never returned', () => {
  for (const [name, status] of Object.keys(unusedStatuses).map(placeOf)) {
    const theirs = vendorOperations().find((each) => each.name === name);
    assert.ok(theirs?.statuses.includes(status));
    assert.ok(!ours.get(name)?.statuses.includes(status), `${name} ${status}`);
  }
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
