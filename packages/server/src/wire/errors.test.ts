import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { test } from 'node:test';
import { cryptoBalanceNotFound, errorTable, recordNotFound } from './errors.ts';

const entries = Object.entries(errorTable);

test('every kind of error has an error status, a message and a default detail', () => {
  for (const [kind, { status, message, errMsg }] of entries) {
    assert.ok(status >= 400 && status in STATUS_CODES, `${kind}: ${status}`);
    assert.match(message, /^([A-Z][A-Za-z]*)( [A-Z][A-Za-z]*)*$/, kind);
    assert.match(errMsg, /^[A-Z].*\S$/, kind);
  }
});

test('kinds with the same status have the same message, except for 400 and the deletion of many', () => {
  const same = entries.filter(([kind]) => kind !== 'unknownRecords');
  const messages = Map.groupBy(same, ([, { status }]) => status);
  messages.delete(400);
  for (const [status, kinds] of messages)
    assert.equal(new Set(kinds.map(([, { message }]) => message)).size, 1, String(status));
});

test('the texts that existing clients compare do not change', () => {
  assert.deepEqual(errorTable.invalidToken, {
    status: 401,
    message: 'Unauthorized',
    errMsg: 'Access token does not exist.',
  });
  const { status, message, errMsg } = errorTable.tooManyRequests;
  assert.deepEqual([status, message], [429, 'Too Many Requests']);
  assert.match(errMsg, /too many requests.*try again later/i);
  assert.equal(errorTable.missingToken.errMsg, 'Missing authorization header');
  assert.equal(errorTable.recordNotFound.message, 'Not Found');
  assert.equal(errorTable.notSplit.message, 'Not Found');
  assert.equal(errorTable.unknownRecords.message, 'Request Validation Failure');
  assert.equal(recordNotFound('transaction', 9), 'There is no transaction with the id: 9.');
  assert.equal(
    cryptoBalanceNotFound('doge', 33004),
    "There is no synced crypto balance with symbol 'doge' for the crypto account with id: 33004.",
  );
});
