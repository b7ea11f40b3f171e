import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultServerLimits, uploadLimits } from '../../packages/server/src/http/server.ts';
import { catalogue } from '../../packages/server/src/operations/testing/catalogue.ts';
import { maxFileBytes, maxUploadBytes } from '../../packages/server/src/operations/upload.ts';
import { mostWaiting } from '../../packages/server/src/workers/pool.ts';
import { keySheet } from '../../packages/web/src/texts/en/keys.ts';
import { textOf } from '../house/tracked-files.ts';

test('the guide has every key of the sheet in the browser, and no other', () => {
  const table = /^\| Where .*\n\|[ |-]+\n((?:\|.*\n)+)/m.exec(textOf('docs/guide/browser.md'));
  const rows = table![1]!.trim().split('\n');
  const shown = rows.map((row) => {
    const [, , keys = '', action = ''] = row.split('|').map((cell) => cell.trim());
    return [keys.replaceAll('`', ''), action];
  });
  assert.deepEqual(
    shown,
    keySheet.flatMap(({ keys }): (readonly string[])[] => [...keys]),
  );
});

test('the limits for slow clients are those of the server', () => {
  const seconds = (ms: number): string => `${ms / 1000} s`;
  const rows = [...textOf('docs/operate/limits.md').matchAll(/^\| [^|]+ \| ([\d,]+[^|]*?) +\|$/gm)];
  assert.deepEqual(
    rows.map(([, limit]) => limit),
    [
      seconds(defaultServerLimits.headersTimeoutMs),
      seconds(defaultServerLimits.bodyTimeoutMs),
      seconds(uploadLimits.timeoutMs),
      seconds(defaultServerLimits.requestTimeoutMs),
      seconds(defaultServerLimits.keepAliveTimeoutMs),
      seconds(defaultServerLimits.socketTimeoutMs),
      seconds(defaultServerLimits.drainTimeoutMs),
      defaultServerLimits.maxConnections.toLocaleString('en'),
      `${defaultServerLimits.maxHeaderBytes / 1024} KiB`,
      `${defaultServerLimits.bodyLimitBytes / 1024 ** 2} MiB`,
      `${maxUploadBytes / 1024 ** 2} MiB`,
      `${maxFileBytes / 1024 ** 2} MiB`,
      String(uploadLimits.mostAtOnce),
      `${uploadLimits.mostFormBytes / 1024 ** 2} MiB`,
      String(mostWaiting.ofBook),
      String(mostWaiting.ofNode),
    ],
  );
});

test('the large requests are those that are declared', () => {
  const rows = [...textOf('docs/operate/limits.md').matchAll(/^\| `([A-Z]+ \/.*?)` +\| (\w+)/gm)];
  assert.deepEqual(
    rows.map(([, operation, when]) => [operation, when]),
    catalogue.flatMap(({ method, declaration: { path, size } }) =>
      size === undefined ? [] : [[`${method} ${path}`, size === 'unbounded' ? 'always' : 'for']],
    ),
  );
});
