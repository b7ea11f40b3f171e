import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readConfig } from '@coffer/server/src/config.ts';
import { serve } from '@coffer/server/src/main.ts';
import { coffer, jsonLines, makeFolder, refuses, runCoffer } from '../../testing/run-coffer.ts';

const folder = makeFolder();
const database = `sqlite:${join(folder, 'demo.db')}`;
const demo = ['--email', 'demo@coffer.example', '--database', database];
const token = (await coffer('demo', '--transactions', '3000', '--database', database)).trim();
const server = await serve(
  readConfig({ port: '0', database, logLevel: 'silent', rateLimit: '10000' }, {}),
);
const { url } = server;
after(() => server.close());
const environment = { COFFER_TOKEN: token };

/** Returns an export from the server. */
async function fromServer(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCoffer(['export', '--server', url, ...args], {
    environment,
  });
  assert.equal(code, 0, stderr);
  return stdout;
}

interface Line {
  readonly type: string;
  readonly id: number;
  readonly [key: string]: unknown;
}

const linesOf = (text: string): Line[] => jsonLines(text);

describe('an export from a server', () => {
  test('as CSV is identical to the export of its database', async () => {
    const local = await coffer('export', ...demo);
    assert.equal(await fromServer(), local);
    assert.equal(await coffer('export', '--server', url, '--token', token), local);
    const [header, ...rows] = local.trimEnd().split('\n');
    assert.match(header ?? '', /^id,date,amount,.*,account,/);
    assert.ok(rows.length > 2500);
    assert.ok(
      rows.some((row) => row.includes('Credit Union Checking')),
      'the book has accounts',
    );
  });

  test('as NDJSON has the same transactions as the export of its database', async () => {
    const local = linesOf(await coffer('export', '--format', 'ndjson', ...demo));
    const served = linesOf(await fromServer('--format', 'ndjson'));
    assert.deepEqual(served[0], local[0], 'the book');
    const pick = (lines: Line[], type: string): Line[] =>
      lines.filter((line) => line.type === type).toSorted((a, b) => a.id - b.id);
    assert.equal(pick(local, 'transaction').length, 3000);
    assert.deepEqual(pick(served, 'transaction'), pick(local, 'transaction'));
    const childrenOf = (one: Line) => (one['children'] ?? []) as Line[];
    const groups = pick(served, 'category').flatMap((one) => [one, ...childrenOf(one)]);
    const names = (lines: readonly Line[]): unknown[] => lines.map(({ name }) => name).toSorted();
    assert.deepEqual(names(groups), names(pick(local, 'category')));
    assert.deepEqual(names(pick(served, 'tag')), names(pick(local, 'tag')));
    assert.ok(pick(served, 'tag').length > 0);
  });

  test('can be written to a file', async () => {
    const output = join(folder, 'served.csv');
    assert.equal(await fromServer('--output', output), '');
    assert.equal(readFileSync(output, 'utf8'), await fromServer());
  });

  test('shows its progress on a terminal, and removes it', async () => {
    const { stderr } = await runCoffer(['export', '--server', url], {
      environment,
      isTerminal: true,
    });
    assert.match(stderr, /\r\u001b\[K[\d,]+ rows, back to \d{4}-\d\d-\d\d, [\d,]+ rows\/s/);
    assert.ok(stderr.endsWith('\r\u001b[K'));
  });
});

describe('an export from a server that fails', () => {
  test('because of its arguments is reported', async () => {
    for (const [args, message, code] of [
      [['--server', url], /^--server requires an access token\. Set COFFER_TOKEN\n/, 2],
      [['--server', url, ...demo], /^--server cannot be used with --email, --database\n/, 2],
      [['--token', 'a', ...demo], /^--token requires --server/, 2],
      [['--server', 'x', '--token', 'a'], /^baseUrl must be an http or https URL .*"x"\n/, 2],
      [['--server', url, '--token', 'wrong'], /^(?![^]*wrong)[^]*status 401: Unauth/, 1],
    ] as const) {
      await refuses(['export', ...args], code, message);
    }
  });

  for (const [name, amount, status] of [
    ['an error of the service', '1.0000', 401],
    ['an invalid amount', 'ten', 200],
  ] as const) {
    test(`because of ${name} leaves no file`, async () => {
      const failing = createServer(({ url: target = '' }, response) => {
        const [path = '', query = ''] = target.split('?');
        const row = { id: 7, date: '2026-01-01', amount, tag_ids: [] };
        const page = { transactions: [row], has_more: !query.includes('offset=2000') };
        const body = path === '/v2/transactions' ? page : { categories: [] };
        response.statusCode = query.includes('offset=2000') ? status : 200;
        response.end(JSON.stringify(body));
      }).listen(0, '127.0.0.1');
      after(() => failing.close());
      await once(failing, 'listening');
      const place = makeFolder();
      const stub = `http://127.0.0.1:${(failing.address() as AddressInfo).port}`;
      const output = join(place, 'book.csv');
      const args = ['export', '--server', stub, '--output', output];
      const problem = status === 401 ? /status 401/ : /Transaction 7 has an invalid amount: "ten"/;
      await refuses(args, 1, problem, { environment });
      assert.deepEqual(readdirSync(place), []);
    });
  }
});
