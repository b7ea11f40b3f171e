import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import {
  coffer,
  makeFolder,
  outcomeOf,
  refuses,
  runCoffer,
  spawnCoffer,
} from '../../testing/run-coffer.ts';

/** Creates a folder with a demo book in `coffer.db`. Also returns the options that move it to `new.db`. */
async function makeDatabase(transactions = 300): Promise<{ folder: string; move: string[] }> {
  const folder = makeFolder();
  const from = `sqlite:${join(folder, 'coffer.db')}`;
  await coffer('demo', '--transactions', `${transactions}`, '--database', from);
  return { folder, move: ['move', '--from', from, '--to', `sqlite:${join(folder, 'new.db')}`] };
}

const lasting = (folder: string): string[] =>
  readdirSync(folder).filter((name) => !name.endsWith('-lock') && !name.endsWith('-files'));

test('a move reports what was moved, and that the old database was not changed', async () => {
  const { folder, move } = await makeDatabase();
  const { code, stdout, stderr } = await runCoffer(move);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^Moved 1 book with 300 transactions: [\d,]+ rows, each compared, in .*\d m?s\n$/,
  );
  assert.equal(stderr, 'The old database was not changed. Start servers only on the new one\n');
  const book = ['export', '--format', 'ndjson', '--email', 'demo@coffer.example'];
  const [before, after] = await Promise.all(
    ['coffer.db', 'new.db'].map((name) =>
      coffer(...book, '--database', `sqlite:${join(folder, name)}`),
    ),
  );
  assert.equal(after, before);
  const database = ['--database', `sqlite:${join(folder, 'new.db')}`];
  assert.equal(await coffer('doctor', ...database), 'Everything agrees\n');
});

test('with --json a move is reported as a line of JSON', async () => {
  const { move } = await makeDatabase();
  const said = JSON.parse(await coffer(...move, '--json')) as Record<string, number>;
  const { rows, elapsed_ms: elapsedMs, ...counts } = said;
  assert.deepEqual(counts, { books: 1, transactions: 300 });
  assert.ok(Number.isInteger(rows) && Number(rows) > 300);
  assert.ok(Number.isInteger(elapsedMs));
});

test('a move shows its two steps on a terminal', async () => {
  const { folder, move } = await makeDatabase();
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true });
  const { code } = await runCoffer(move, { stderr, isTerminal: true });
  assert.equal(code, 0);
  const drawn = String(stderr.read());
  assert.match(drawn, /Copying[^]*Comparing/);
  assert.ok(existsSync(join(folder, 'new.db')));
});

test('a refused move is reported in a sentence without passwords', async () => {
  const { folder, move } = await makeDatabase();
  const [, , from = '', , to = ''] = move;
  await coffer('user', 'create', '--email', 'me@example.com', '--name', 'Me', '--database', to);
  const before = lasting(folder);
  for (const [argv, code, message] of [
    [['--from', from], 2, /^Required option '--to <url>' not specified\n/],
    [['--to', to], 2, /^Required option '--from <url>' not specified\n/],
    [['--from', from, '--to', 'mysql://u:hush@h/d'], 2, /^--to: Cannot use .* "mysql"/],
    [['--from', 'coffer.db', '--to', to], 2, /^--from: Cannot use a database of the kind/],
    [['--from', from, '--to', 'sqlite::memory:'], 2, /^--to: A database in memory ends/],
    [['--from', `${from}x`, '--to', to], 1, /^There is no database "sqlite:.*dbx"\. .* --from\n$/],
    [['--from', from, '--to', to], 1, /^The target already exists: .*\n$/],
    [['--from', from, '--to', 'postgres://u:hush@localhost:1/d'], 1, /^The target: .* cannot be/],
    [['--from', 'postgres://u:hush@localhost:1/d', '--to', `${to}2`], 1, /^The source: .* cannot/],
  ] as const) {
    await refuses(['move', ...argv], code, message);
    assert.doesNotMatch((await runCoffer(['move', ...argv])).stderr, /hush/);
    assert.deepEqual(lasting(folder), before);
  }
});

test(
  'a move to a full disk is reported in a sentence and leaves no file',
  { timeout: 300_000 },
  async () => {
    const { folder, move } = await makeDatabase(3000);
    const guard = join(import.meta.dirname, '../../../coffer.cjs');
    // The most blocks of a file, after which the disk is full for the engine: the tables alone need more than the first
    // number, the rows more than the second.
    for (const blocks of [1024, 4096]) {
      const limited = `ulimit -f ${blocks} && exec "$@"`;
      const child = spawn('sh', ['-c', limited, 'sh', process.execPath, guard, ...move]);
      const { code, stdout, stderr } = await outcomeOf(child);
      assert.deepEqual([code, stdout], [1, ''], String(blocks));
      assert.match(
        stderr,
        /^(?:The target: )?(The disk is full: nothing was written|The database file cannot be .*)\n$/,
      );
      assert.deepEqual(lasting(folder), ['coffer.db']);
    }
    await coffer(...move);
  },
);

test('a stopped move leaves no file', { timeout: 300_000 }, async () => {
  const { folder, move } = await makeDatabase(60_000);
  const child = spawnCoffer(move);
  const outcome = outcomeOf(child);
  while (!readdirSync(folder).some((name) => name.endsWith('.tmp')))
    await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGINT');
  const { code, stdout, stderr } = await outcome;
  assert.deepEqual([code, stdout, stderr], [1, '', 'Stopped: nothing was moved\n']);
  assert.deepEqual(lasting(folder), ['coffer.db']);
});
