import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connection } from './connection.ts';

for (const end of ['isOffline', 'isSignedOut'] as const)
  test(`requests wait while ${end}, whatever else changes`, async () => {
    connection.change({ isOffline: false, isSignedOut: false });
    let isReady = false;
    connection.change({ [end]: true });
    const ready = connection.ready().then(() => (isReady = true));
    connection.change({ waitingUntilMs: 5 });
    connection.change({ waitingUntilMs: null });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isReady, false);
    connection.change({ [end]: false });
    await ready;
    await connection.ready();
  });
