import assert from 'node:assert/strict';
import { it } from 'node:test';
import { statusAfter } from './rules.ts';
import type { CryptoRefreshReason, CryptoStatus } from './rules.ts';

it('a failed reading changes the status only if the key or the account is the cause', () => {
  const statuses: Readonly<Record<CryptoRefreshReason, CryptoStatus | null>> = {
    unreachable: null,
    timeout: null,
    rateLimited: null,
    refused: 'relink',
    unsupported: 'unsupported',
    nonsense: null,
    unconfigured: null,
  };
  for (const [reason, status] of Object.entries(statuses)) {
    assert.equal(statusAfter(reason as CryptoRefreshReason), status, reason);
  }
});

it('nonsense makes an account unsupported from the third reading in a row', () => {
  const counts = [1, 2, 3, 4, 100];
  assert.deepEqual(
    counts.map((count) => statusAfter('nonsense', count)),
    [null, null, ...Array.from({ length: 3 }, () => 'unsupported')],
  );
  for (const reason of ['unreachable', 'timeout', 'rateLimited', 'unconfigured'] as const) {
    assert.equal(statusAfter(reason, 100), null);
  }
});
