import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultServerLimits } from '../../packages/server/src/http/server/limits.ts';
import { maxUploadBytes } from '../../packages/server/src/wire/multipart.ts';
import { ROOT } from '../house/tracked-files.ts';

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('the limits for slow clients are those of the server', () => {
  const seconds = (ms: number): string => `${ms / 1000} s`;
  const rows = [...textOf('docs/operate/limits.md').matchAll(/^\| [^|]+ \| ([\d,]+[^|]*?) +\|$/gm)];
  assert.deepEqual(
    rows.map(([, limit]) => limit),
    [
      seconds(defaultServerLimits.headersTimeoutMs),
      seconds(defaultServerLimits.bodyTimeoutMs),
      seconds(defaultServerLimits.requestTimeoutMs),
      seconds(defaultServerLimits.keepAliveTimeoutMs),
      seconds(defaultServerLimits.socketTimeoutMs),
      seconds(defaultServerLimits.drainTimeoutMs),
      defaultServerLimits.maxConnections.toLocaleString('en'),
      `${defaultServerLimits.maxHeaderBytes / 1024} KiB`,
      `${defaultServerLimits.bodyLimitBytes / 1024 ** 2} MiB`,
      `${maxUploadBytes / 1024 ** 2} MiB`,
    ],
  );
});
