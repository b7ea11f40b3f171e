import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { errorsOf, startService } from '../service/started-service.ts';

const service = await startService();
after(() => service.close());

/** Requests that are refused in different ways. */
const refusals = [
  { target: '/v2/transactions?limit=0', status: 400 },
  { target: '/v2/transactions?colour=red&limit=x&end_date=y', status: 400 },
  { target: '/v2/%zz', status: 400 },
  { target: '/v2/me', as: null, status: 401 },
  { target: '/v2/transactions/999999', status: 404 },
  { target: '/v2/nothing', status: 404 },
  { target: '/v1/nothing', status: 404 },
  { target: '/v2/me', method: 'DELETE', status: 405 },
];

test('2 date is a calendar date, in every row and at both ends of the calendar', async () => {
  const { transactions } = await service.list();
  for (const { date } of transactions) assert.match(date, /^\d{4}-\d{2}-\d{2}$/);
  assert.equal(transactions[0]?.date, '9999-12-31');
  assert.equal(transactions.at(-1)?.date, '0001-01-01');
});

test('2 message, 2 errors, 2 errors[].errMsg say in every error what is wrong, for people', async () => {
  for (const { status, target, ...asking } of refusals) {
    const answer = await service.ask(target, asking);
    assert.equal(answer.status, status, target);
    const { message, errors } = errorsOf(answer);
    assert.match(message, /^[A-Z][A-Za-z ]{2,39}$/);
    assert.ok(Array.isArray(errors) && errors.length > 0, target);
    for (const { errMsg } of errors)
      assert.ok(typeof errMsg === 'string' && errMsg.length > 5, target);
  }
});
