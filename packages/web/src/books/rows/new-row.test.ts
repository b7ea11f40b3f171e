import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyRow, insertOf, likeLast, nextRow } from './new-row.ts';

const typed = { ...emptyRow('2026-11-27', 'manual:3'), payee: 'Kiosk', amount: '2.5000' };

test('a typed transaction is sent with the sign of its direction, and is reviewed', () => {
  const sent = insertOf(typed, 'eur');
  assert.deepEqual(sent, {
    date: '2026-11-27',
    payee: 'Kiosk',
    amount: '2.5000',
    currency: 'eur',
    category_id: null,
    notes: null,
    tag_ids: [],
    status: 'reviewed',
    manual_account_id: 3,
  });
  assert.equal(insertOf({ ...typed, direction: 'in' }, 'eur').amount, '-2.5000');
  assert.equal(insertOf({ ...typed, amount: '-2.5000', direction: 'in' }, 'eur').amount, '2.5000');
});

test('one without an account has none, one in a synced account its id', () => {
  const none = insertOf({ ...typed, account: '' }, 'eur');
  assert.equal('manual_account_id' in none || 'plaid_account_id' in none, false);
  assert.equal(insertOf({ ...typed, account: 'plaid:8' }, 'eur').plaid_account_id, 8);
});

test('the last transaction of a payee gives category, direction and account; the next keeps day and account', () => {
  const last = { category_id: 4, amount: '-12.0000', manual_account_id: 9 };
  assert.deepEqual(likeLast(last), { category_id: 4, direction: 'in', account: 'manual:9' });
  assert.equal('account' in likeLast({ ...last, manual_account_id: null }), false);
  assert.deepEqual(
    nextRow({ ...typed, notes: 'n', tag_ids: [1] }),
    emptyRow('2026-11-27', 'manual:3'),
  );
});
