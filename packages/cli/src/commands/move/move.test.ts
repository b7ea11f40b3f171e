import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { coffer, makeFolder, outcomeOf, runCoffer, spawnCoffer } from '../../testing/run-coffer.ts';

/** Creates a folder with a demo book in `coffer.db`. Also returns the options that move it to `new.db`. */
async function makeDatabase(transactions = 300): Promise<{ folder: string; move: string[] }> {
  const folder = makeFolder();
  const from = `sqlite:${join(folder, 'coffer.db')}`;
  await coffer('demo', '--transactions', `${transactions}`, '--database', from);
  return { folder, move: ['move', '--from', from, '--to', `sqlite:${join(folder, 'new.db')}`] };
}

const lasting = (folder: string): string[] =>
  readdirSync(folder).filter((name) => !name.endsWith('-lock') && !name.endsWith('-files'));

test('a move shows its two steps on a terminal', async () => {
  const { folder, move } = await makeDatabase();
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true });
  const { code } = await runCoffer(move, { stderr, isTerminal: true });
  assert.equal(code, 0);
  const drawn = String(stderr.read());
  assert.match(drawn, /Copying[^]*Comparing/);
  assert.ok(existsSync(join(folder, 'new.db')));
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
