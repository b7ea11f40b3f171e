import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import {
  coffer,
  makeFolder,
  outcomeOf,
  readUntil,
  refuses,
  runCoffer,
  spawnCoffer,
} from '../../testing/run-coffer.ts';
import { databaseArgument } from './first-start.ts';

const options = { timeout: 300_000 };
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

const documentation = /API reference: [^\n]+\n/;

// Here, because a process that a test starts is killed at the end of that test.
const server = await start('setup.db', ['--setup'], documentation);

describe('a server on its first start', options, () => {
  const database = ['--database', `sqlite:${join(folder, 'setup.db')}`];
  test('prints a link, a token, a curl line that works, and how to import', async () => {
    assert.match(server.text, /^Coffer is listening on http:\/\/127\.0\.0\.1:\d+\n/);
    const parts = ['/start#', 'shown only now:', 'curl -H', 'import FILE', 'API reference:'];
    const places = parts.map((part) => server.text.indexOf(part));
    assert.ok(places.every((place, at) => place > (places[at - 1] ?? 0)));
    assert.deepEqual(await followCurl(server.text), { status: 200, transactions: [] });
    assert.match(server.text, /^ {2}coffer_[0-9A-Za-z]{49}$/m);
    const file = join(folder, 'setup.csv');
    writeFileSync(file, 'Date,Payee,Amount\n2024-01-02,Shop,-12.50\n');
    const [, hint = ''] = /^ {2}coffer (import .+)$/m.exec(server.text) ?? [];
    await coffer(...hint.split(' ').map((word) => (word === 'FILE' ? file : word)));
    assert.equal((await followCurl(server.text)).transactions.length, 1);
    const [, docs = ''] = /^API reference: (.+)$/m.exec(server.text) ?? [];
    assert.equal((await fetch(docs)).status, 200);
  });

  test('prints a link that signs the new user in, once, as coffer sign-in does', async () => {
    const port = new URL(server.url).port;
    const printed = await outcomeOf(spawnCoffer(['sign-in', '--port', port, ...database]));
    for (const text of [server.text, printed.stdout]) {
      const [, address = '', secret = ''] = /^ *(http\S+)\/start#([\w-]{22})$/m.exec(text) ?? [];
      assert.equal(address, `http://localhost:${port}`);
      const body = JSON.stringify({ method: 'link', secret });
      const headers = { 'content-type': 'application/json' };
      const signIn = () => fetch(`${server.url}/coffer/session`, { method: 'POST', headers, body });
      assert.deepEqual([(await signIn()).status, (await signIn()).status], [201, 401]);
    }
  });

  test('goes on while commands work on its database', async () => {
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
    const [{ id } = { id: 0 }] = (await coffer('token', 'list', '--json', ...whose))
      .split('\n')
      .map((line) => JSON.parse(line || 'null') as { id: number });
    await coffer('token', 'revoke', String(id), ...whose);
    assert.equal((await list()).status, 401);
  });

  test('ends with 0 on SIGTERM, though connections are open', async () => {
    const ended = await server.stop('SIGTERM');
    assert.deepEqual([ended.code, ended.signal, ended.stderr], [0, null, '']);
  });

  test('prints no token the second time, and ends with 0 on SIGINT', async () => {
    const second = await start('setup.db', ['--setup'], documentation);
    assert.doesNotMatch(second.text, /coffer_|Bearer/);
    assert.match(second.text, /^ {2}coffer token create --database/m);
    await (await fetch(second.url)).text();
    const ended = await second.stop('SIGINT');
    assert.deepEqual([ended.code, ended.signal, ended.stderr], [0, null, '']);
  });
});

test('a start without --setup and --demo prints one line', options, async () => {
  let text = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      process.emit('SIGTERM');
      done();
    },
  });
  const database = ['--database', 'sqlite::memory:', '--log-level', 'silent'];
  const { code, stderr } = await runCoffer(['serve', '--port', '0', ...database], { stdout });
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(text, /^Coffer is listening on http:\/\/127\.0\.0\.1:\d+\n$/);
});

test('without --setup no token is printed, not even with --demo, nor later', options, async () => {
  const flags = ['--demo', '--until', '2027-06-15'];
  const first = await start('plain.db', flags, /token create --email[^\n]+\n/);
  assert.match(first.text, /^Coffer is listening on http:\/\/127\.0\.0\.1:\d+\n\nThe demo/);
  assert.doesNotMatch(first.text, /coffer_|Bearer/);
  const { stdout } = await first.stop();
  assert.equal(stdout, '');
  // The last day is for a new book.
  const second = await start('plain.db', ['--setup', ...flags], documentation);
  assert.doesNotMatch(second.text, /coffer_|Bearer/);
  await second.stop();
  const whose = [
    '--email',
    'demo@coffer.example',
    '--database',
    `sqlite:${join(folder, 'plain.db')}`,
  ];
  const rows = await coffer('export', '--format', 'ndjson', ...whose);
  assert.match(rows, /"date":"2027-06-1[45]"/);
  assert.doesNotMatch(rows, /"date":"2027-(06-1[6-9]|06-[23]|0[7-9]|1)/);
});

test('--setup --demo prints a curl line for the demo book, also in memory', options, async () => {
  const args = ['--setup', '--demo', '--database', 'sqlite::memory:'];
  const memory = await start('unused.db', args, documentation);
  const { status, transactions } = await followCurl(memory.text);
  assert.deepEqual([status, transactions.length], [200, 5]);
  assert.equal((await memory.stop()).code, 0);
});

test('a port that is taken is reported in a sentence', options, async () => {
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
    `Cannot listen on 127.0.0.1:${port}: the port is in use. Choose another one with --port\n`,
  );
  const user = ['user', 'create', '--email', 'you@localhost', '--name', 'Y'];
  const made = await runCoffer([...user, ...database]);
  assert.equal(made.code, 0, 'nobody was made for a server that did not start');
});

test('the usual database needs no argument', () => {
  assert.equal(databaseArgument({ engine: 'sqlite', path: './coffer.db' }), '');
});

const paths = ['/srv/coffer.db', "/srv/o'neil/my books/a.db", '$(echo x)`y`"z"', '; rm *', '~/x'];
for (const path of paths) {
  test(`a shell reads ${path} as one word again`, () => {
    const argument = databaseArgument({ engine: 'sqlite', path });
    const words = execFileSync('sh', ['-c', `printf '%s\\n'${argument}`], { encoding: 'utf8' });
    assert.equal(words, `--database\nsqlite:${path}\n`);
  });
}

test(
  'a server makes backups, and one of them is restored with its attached files',
  options,
  async () => {
    const place = makeFolder();
    const [live, to] = [join(place, 'live.db'), join(place, 'backups')];
    await coffer('demo', '--transactions', '100', '--database', `sqlite:${live}`);
    const flags = ['--backup-to', to, '--backup-every', '1d', '--backup-keep', '2/30d'];
    const args = ['serve', '--port', '0', '--database', `sqlite:${live}`, '--log-level', 'info'];
    const child = spawnCoffer([...args, ...flags]);
    const { input } = await readUntil(child.stderr, /"msg":"A backup was made"/);
    assert.match(input, /"backup":"live-\d{8}T\d{6}Z\.bak","bytes":\d+,"files":3/);
    const ended = outcomeOf(child);
    child.kill();
    assert.equal((await ended).code, 0);
    const [name = '', files, ...others] = readdirSync(to).toSorted();
    assert.deepEqual([files, others], [`${name}.files`, []]);
    const drill = ['--database', `sqlite:${join(place, 'drill.db')}`];
    assert.match(await coffer('restore', join(to, name), ...drill), /, with 3 attached files in /);
    assert.equal(await coffer('doctor', ...drill), 'Everything agrees\n');
    // Nobody shall believe that there are backups.
    for (const [more, message] of [
      [['--backup-to', join(live, 'x')], /^--backup-to \(BACKUP_TO\): The server cannot write to /],
      [['--backup-every', '1d'], /^--backup-every: There are no backups without --backup-to/],
    ] as const)
      await refuses([...args, ...more], 2, message);
  },
);
