import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isListed, payeesOf } from '../service/small-book.ts';
import { errorsOf, payees, startService } from '../service/started-service.ts';

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

test('2 transactions is an array with the transactions of the page', async () => {
  const page = await service.list('limit=5');
  assert.deepEqual(payees(page), payeesOf(isListed).slice(0, 5));
});

test('2 transactions is empty when the offset is past the last match', async () => {
  const count = payeesOf(isListed).length;
  for (const offset of [count, count + 1, 10 ** 9, Number.MAX_SAFE_INTEGER]) {
    assert.deepEqual((await service.list(`offset=${offset}`)).transactions, [], String(offset));
  }
});

test('2 has_more is true as long as later pages have matches, and false from then on', async () => {
  const count = payeesOf(isListed).length;
  for (let limit = 1; limit <= count + 1; limit += 1) {
    for (const offset of [0, 1, count - limit - 1, count - limit, count - limit + 1]) {
      if (offset < 0) continue;
      const page = await service.list(`limit=${limit}&offset=${offset}`);
      assert.equal(page.has_more, offset + limit < count, `limit ${limit}, offset ${offset}`);
    }
  }
});

test('2 date is a calendar date, in every row and at both ends of the calendar', async () => {
  const { transactions } = await service.list();
  for (const { date } of transactions) assert.match(date, /^\d{4}-\d{2}-\d{2}$/);
  assert.equal(transactions[0]?.date, '9999-12-31');
  assert.equal(transactions.at(-1)?.date, '0001-01-01');
});

test('2 message is a short description in every error', async () => {
  for (const { status, target, ...asking } of refusals) {
    const answer = await service.ask(target, asking);
    assert.equal(answer.status, status, target);
    assert.match(errorsOf(answer).message, /^[A-Z][A-Za-z ]{2,39}$/);
  }
});

test('2 errors is an array of objects in every error, and never empty', async () => {
  for (const { target, ...asking } of refusals) {
    const { errors } = errorsOf(await service.ask(target, asking));
    assert.ok(Array.isArray(errors) && errors.length > 0, target);
    for (const error of errors) assert.ok(typeof error === 'object' && !Array.isArray(error));
  }
});

test('2 errors[].errMsg is a text for people in every object', async () => {
  for (const { target, ...asking } of refusals) {
    for (const error of errorsOf(await service.ask(target, asking)).errors) {
      assert.ok(typeof error['errMsg'] === 'string' && error['errMsg'].length > 5, target);
    }
  }
});
