import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { defaultServerLimits } from '../../packages/server/src/http/server/limits.ts';
import { readConfig, serve, type RunningServer } from '../../packages/server/src/main.ts';
import { ROOT } from '../house/tracked-files.ts';

const run = promisify(execFile);
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('examples on the demo book', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-examples-'));
  const database = `sqlite:${join(folder, 'demo.db')}`;
  let server: RunningServer;
  let token: string;

  before(async () => {
    const command = join(ROOT, 'packages/cli/coffer.cjs');
    const { stdout } = await run(process.execPath, [command, 'demo', '--database', database]);
    token = stdout.trim();
    server = await serve(readConfig({ port: '0', database, logLevel: 'silent' }, {}));
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the first request of the README is answered as it says', async () => {
    const shown = [...textOf('README.md').matchAll(/^ {6}"(\w+)": (.+),$/gm)];
    const answer = await fetch(`${server.url}/v2/transactions?limit=1`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const page = (await answer.json()) as { transactions: Record<string, unknown>[] };
    assert.ok(shown.length > 5);
    for (const [, key = '', value = ''] of shown) {
      assert.deepEqual(page.transactions[0]?.[key], JSON.parse(value), key);
    }
  });

  test('the program of the guide walks the book and prints what the guide says', async () => {
    const guide = textOf('docs/guide/reading-transactions.md');
    const program = /^```js\n([^]*?)^```/m.exec(guide)?.[1] ?? '';
    const printed = /prints `([^`]+)`/.exec(guide)?.[1];
    const env = { BASE_URL: server.url, TOKEN: token };
    const args = ['--input-type=module', '--eval', program];
    const { stdout } = await run(process.execPath, args, { env, timeout: 60_000 });
    assert.equal(stdout.trim(), printed);
  });
});

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
    ],
  );
});
