import assert from 'node:assert/strict';
import { it } from 'node:test';
import { statusAfter } from './rules.ts';
import type { CryptoRefreshReason, CryptoStatus } from './rules.ts';

it('a failed reading changes the status only if the key or the account is the cause', () => {
  const statuses: Readonly<Record<CryptoRefreshReason, CryptoStatus | null>> = {
    ...{ unreachable: null, timeout: null, rateLimited: null, unconfigured: null },
    ...{ refused: 'relink', unsupported: 'unsupported', nonsense: null },
  };
  for (const [reason, status] of Object.entries(statuses)) {
    assert.equal(statusAfter(reason as CryptoRefreshReason), status, reason);
    // Only nonsense is counted: the third reading in a row makes an account unsupported.
    for (const [count, after] of [
      [2, status],
      [3, reason === 'nonsense' ? 'unsupported' : status],
      [100, reason === 'nonsense' ? 'unsupported' : status],
    ] as const)
      assert.equal(statusAfter(reason as CryptoRefreshReason, count), after, `${reason} ${count}`);
  }
});
