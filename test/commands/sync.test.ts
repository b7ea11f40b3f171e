import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import {
  makeBook,
  makeFolder,
  runCoffer,
  type Outcome,
} from '../../packages/cli/src/testing/run-coffer.ts';
import { startSimplefinServer } from '../../packages/server/src/sync/testing/simplefin-server.ts';

const server = await startSimplefinServer();
after(() => server.close());
const whose = await makeBook(makeFolder());
const environment = { ENCRYPTION_KEY: 'a5'.repeat(32) };

function sync(args: readonly string[], input = ''): Promise<Outcome> {
  const stdin = Readable.from([Buffer.from(input)]);
  return runCoffer(['sync', ...args, ...whose], { stdin, environment });
}

test('a connection is added, read, listed and removed', async () => {
  const posted = Date.parse('2026-11-19T12:00:00Z') / 1000;
  const transactions = [{ id: 't', posted, amount: '-5', description: 'Baker' }];
  const account = { id: 'A', name: 'Checking', currency: 'USD', balance: '100' };
  server.setAccounts([{ ...account, transactions }]);
  server.setErrors(['Sign in again at Test Bank']);
  assert.deepEqual(await sync(['add', '--name', 'Banks'], server.newToken()), {
    code: 0,
    stdout:
      'Added the connection 1 to the book "My book". Read its accounts with "coffer sync run 1"\n',
    stderr: 'Reading the setup token from standard input\n',
  });
  for (const count of [1, 0])
    assert.deepEqual(await sync(['run']), {
      code: 0,
      stdout: `Read the connection 1: ${count} new, 0 changed, 0 withdrawn\n`,
      stderr: '"Banks": Sign in again at Test Bank\n',
    });
  const { stdout } = await sync(['list', '--json']);
  const listed = {
    id: 1,
    name: 'Banks',
    provider: 'simplefin',
    status: 'active',
    last_read: '2026-11-20T12:00:00.000Z',
    problems: ['Sign in again at Test Bank'],
  };
  assert.deepEqual(JSON.parse(stdout), listed);
  assert.deepEqual(await sync(['remove', '1']), {
    code: 0,
    stdout: '',
    stderr: 'Removed the connection 1\n',
  });
});

test('mistakes are refused with their reason', async () => {
  const token = server.newToken();
  assert.equal((await sync(['add'], token)).code, 0);
  const used = await sync(['add'], token);
  assert.deepEqual(
    [used.code, used.stderr.split('\n')[1]],
    [1, 'The SimpleFIN bridge refused the key (403)'],
  );
  assert.equal((await sync(['add'], ' ')).code, 2);
  assert.equal((await sync(['add'], 'nonsense')).code, 1);
  assert.match((await sync(['run', '99'])).stderr, /has no connection 99/);
  assert.equal((await sync(['remove', '99'])).code, 1);
});
