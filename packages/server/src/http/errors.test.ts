import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseError } from '../db/errors.ts';
import { Problem } from '../operations/problem.ts';
import { toProblem } from './errors.ts';
import { as, makeTestApp, pageRead } from './testing/test-app.ts';
import { assertCounted, assertErrorFormat } from './testing/test-answers.ts';

const { app, engine, ada, log } = await makeTestApp();

test('an internal error is 500 without details, and is logged with the id of the request', async () => {
  const internal = {
    message: 'Internal Server Error',
    errors: [{ errMsg: 'The service had an unexpected error' }],
  };
  for (const fault of [
    new Error('planted secret'),
    Object.assign(new Error('planted'), { statusCode: 400 }),
    new DatabaseError('refused', 'planted'),
    'planted text',
    undefined,
    null,
  ]) {
    log.length = 0;
    const answer = await engine.failing(pageRead, fault, () =>
      app.inject({ url: '/v2/transactions', headers: as(ada) }),
    );
    assert.deepEqual([answer.statusCode, answer.json()], [500, internal], String(fault));
    assert.equal(answer.headers.etag, undefined);
    assertCounted(answer);
    const entries = log.map((line) => JSON.parse(line) as Record<string, unknown>);
    const [entry, ...others] = entries.filter(({ level }) => level === 50);
    assert.deepEqual(others, []);
    assert.match(String(entry?.['reqId']), /^req-/);
    if (!(fault instanceof Error)) continue;
    const { stack } = entry?.['err'] as { stack: string };
    assert.ok(stack.includes(fault.message) && stack.includes('errors.test'), stack);
  }
});

test('an unknown error of the framework is that of the caller if its status says so', () => {
  for (const [code, statusCode, kind] of [
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 'unsupportedMediaType'],
    ['FST_ERR_SOMETHING_NEW', 400, 'malformedRequest'],
    ['FST_ERR_SOMETHING_NEW', 500, 'internal'],
    ['ELSEWHERE', 400, 'internal'],
  ] as const)
    assert.equal(toProblem(Object.assign(new Error('x'), { code, statusCode })).kind, kind, code);
});

test('a problem has no stack and does not change the depth of other stacks', () => {
  const { stackTraceLimit } = Error;
  assert.ok(!new Problem('internal').stack?.includes('\n'));
  assert.equal(Error.stackTraceLimit, stackTraceLimit);
});

test('a token that was sent in the wrong place is not quoted', async () => {
  for (const url of [`/v2/transactions?limit=${ada.token}`, `/v2/categories/${ada.token}`]) {
    const answer = await app.inject({ url, headers: as(ada) });
    assert.equal(answer.statusCode, 400);
    assert.match(assertErrorFormat(answer).errors[0]?.['errMsg'] as string, /\[token\]/);
    assert.ok(!answer.body.includes(ada.token.slice(-16)));
  }
});
