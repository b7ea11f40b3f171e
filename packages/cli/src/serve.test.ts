import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  coffer,
  makeFolder,
  outcomeOf,
  readUntil,
  runCoffer,
  spawnCoffer,
} from './testing/run-coffer.ts';

const options = { timeout: 30_000 };
const folder = makeFolder();

interface Start {
  /** Everything that came on stdout until `until` was there. */
  readonly text: string;
  readonly url: string;
  /** Sends a signal and resolves to how the server ended. */
  stop(signal?: NodeJS.Signals): ReturnType<typeof outcomeOf>;
}

async function start(name: string, args: readonly string[], until: RegExp): Promise<Start> {
  const database = ['--database', `sqlite:${join(folder, name)}`, '--log-level', 'silent'];
  const child = spawnCoffer(['serve', '--port', '0', ...database, ...args]);
  const { input } = await readUntil(child.stdout, until);
  const [, url = ''] = /^Coffer is listening on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(input) ?? [];
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): ReturnType<typeof outcomeOf> => {
    const outcome = outcomeOf(child);
    child.kill(signal);
    return outcome;
  };
  return { text: input, url, stop };
}

/** Does what the printed curl line does. */
async function followCurl(text: string): Promise<{ status: number; transactions: unknown[] }> {
  const [, name = '', value = '', url = ''] =
    /^ +curl -H "([^":]+): ([^"]+)" "([^"]+)"$/m.exec(text) ?? [];
  const response = await fetch(url, { headers: { [name]: value } });
  const body = (await response.json()) as { transactions: unknown[] };
  return { status: response.status, transactions: body.transactions };
}

const documentation = /Documentation: [^\n]+\n/;

test(
  'the first start prints a curl line that works, the second prints no token',
  options,
  async () => {
    const first = await start('setup.db', ['--setup'], documentation);
    assert.deepEqual(await followCurl(first.text), { status: 200, transactions: [] });
    assert.match(first.text, /^ {2}coffer_[0-9A-Za-z]{49}$/m);
    const file = join(folder, 'setup.csv');
    writeFileSync(file, 'Date,Payee,Amount\n2024-01-02,Shop,-12.50\n');
    const [, hint = ''] = /^ {2}npx coffer (import .+)$/m.exec(first.text) ?? [];
    await coffer(...hint.split(' ').map((word) => (word === 'FILE' ? file : word)));
    assert.equal((await followCurl(first.text)).transactions.length, 1);
    const [, docs = ''] = /^Documentation: (.+)$/m.exec(first.text) ?? [];
    assert.equal((await fetch(docs)).status, 200);
    const ended = await first.stop();
    assert.deepEqual([ended.code, ended.signal, ended.stderr], [0, null, '']);

    const second = await start('setup.db', ['--setup'], documentation);
    assert.doesNotMatch(second.text, /coffer_|Bearer/);
    assert.match(second.text, /npx coffer token create --email ADDRESS/);
    assert.equal((await second.stop()).code, 0);
  },
);

test('--setup --demo prints a curl line for the demo book, the first time', options, async () => {
  const args = ['--setup', '--demo'];
  const first = await start('demo.db', args, documentation);
  const { status, transactions } = await followCurl(first.text);
  assert.deepEqual([status, transactions.length], [200, 5]);
  await first.stop();
  const second = await start('demo.db', args, documentation);
  assert.doesNotMatch(second.text, /coffer_|Bearer/);
  await second.stop();
});

test('without --setup no token is printed, not even with --demo', options, async () => {
  const server = await start('plain.db', ['--demo'], /The demo book is there\.[^\n]+\n/);
  assert.doesNotMatch(server.text, /coffer_|Bearer/);
  const { stdout } = await server.stop();
  assert.equal(stdout, '');
});

test('commands work on the database of a running server', options, async () => {
  const server = await start('beside.db', [], /listening on .+\n/);
  assert.match(server.text, /^Coffer is listening on http:\/\/127\.0\.0\.1:\d+\n$/);
  const database = ['--database', `sqlite:${join(folder, 'beside.db')}`];
  const whose = ['--email', 'me@example.com', ...database];
  await coffer('user', 'create', '--email', 'me@example.com', '--name', 'Me', ...database);
  const token = (await coffer('token', 'create', ...whose)).trim();
  const list = async (): Promise<{ status: number; rows: number }> => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${server.url}/v2/transactions`, { headers });
    const body = (await response.json()) as { transactions?: unknown[] };
    return { status: response.status, rows: body.transactions?.length ?? -1 };
  };
  assert.deepEqual(await list(), { status: 200, rows: 0 });
  const file = join(folder, 'beside.csv');
  writeFileSync(file, 'Date,Payee,Amount\n2024-01-02,Shop,-12.50\n2024-01-02,Shop,-12.50\n');
  await coffer('import', file, ...whose);
  assert.deepEqual(await list(), { status: 200, rows: 2 });
  assert.equal(await coffer('doctor', ...database), 'Everything agrees\n');
  await coffer('token', 'revoke', '1', ...whose);
  assert.equal((await list()).status, 401);
  await server.stop();
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends the server with 0, though a connection is open`, options, async () => {
    const server = await start(`${signal}.db`, [], /listening on .+\n/);
    await (await fetch(server.url)).text();
    const { code, signal: killedBy, stderr } = await server.stop(signal);
    assert.deepEqual([code, killedBy, stderr], [0, null, '']);
  });
}

test('a port that is taken is told in a sentence', options, async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const database = ['--database', `sqlite:${join(folder, 'taken.db')}`];
  const argv = ['serve', '--setup', '--port', String(port), '--log-level', 'silent', ...database];
  const { code, stdout, stderr } = await runCoffer(argv);
  other.close();
  assert.deepEqual([code, stdout], [1, '']);
  assert.equal(
    stderr,
    `Cannot listen on 127.0.0.1:${port}: the port is taken; choose another one by --port\n`,
  );
  const user = await runCoffer([
    'user',
    'create',
    '--email',
    'you@localhost',
    '--name',
    'Y',
    ...database,
  ]);
  assert.equal(user.code, 0, 'nobody was made for a server that did not start');
});

test('a database in memory begins with a first start like any other', options, async () => {
  const child = spawnCoffer([
    'serve',
    '--port',
    '0',
    '--setup',
    '--demo',
    '--log-level',
    'silent',
    '--database',
    'sqlite::memory:',
  ]);
  const { input } = await readUntil(child.stdout, documentation);
  const { status, transactions } = await followCurl(input);
  assert.deepEqual([status, transactions.length], [200, 5]);
  const outcome = outcomeOf(child);
  child.kill('SIGTERM');
  assert.equal((await outcome).code, 0);
});
