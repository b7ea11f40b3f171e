import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { startProgress, type Work } from './progress.ts';

const work: Work = { name: 'Importing a.csv', unit: 'rows', total: 50_000 };

function contextAt(isTerminal: boolean) {
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: isTerminal });
  const clock = { ms: Date.parse('2026-11-20T12:00:00.000Z') };
  const now = (): Date => new Date(clock.ms);
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  return { stdin, stdout, stderr, isTerminal, environment: {}, now, clock };
}

test('without a terminal a plain line is written at most every five seconds', async () => {
  const context = contextAt(false);
  const progress = await startProgress(work, context);
  for (const [atMs, rows] of [
    [0, 0],
    [4999, 4000],
    [1, 5000],
    [4999, 9000],
    [1, 10_000],
  ] as const) {
    context.clock.ms += atMs;
    progress.update(rows);
  }
  progress.stop();
  assert.equal(
    context.stderr.read(),
    'Importing a.csv: 5,000 of 50,000 rows (10 %), 1,000 rows/s, 45 s left\n' +
      'Importing a.csv: 10,000 of 50,000 rows (20 %), 1,000 rows/s, 40 s left\n',
  );
});

test('bytes are shown as megabytes, and long waits in minutes', async () => {
  const context = contextAt(false);
  const reading = { name: 'Reading b.gz', unit: 'bytes', total: 13_500_000 } as const;
  const progress = await startProgress(reading, context);
  context.clock.ms += 10_000;
  progress.update(500_000);
  assert.equal(context.stderr.read(), 'Reading b.gz: 0.5 of 13.5 MB (3 %), 0.1 MB/s, 5 min left\n');
});

test('the time starts again with the work, and nothing is written after a stop', async () => {
  const context = contextAt(false);
  const progress = await startProgress(work, context);
  context.clock.ms += 4000;
  progress.update(40_000);
  progress.update(0);
  context.clock.ms += 1000;
  progress.update(1000);
  const line = 'Importing a.csv: 1,000 of 50,000 rows (2 %), 1,000 rows/s, 49 s left\n';
  assert.equal(context.stderr.read(), line);
  progress.stop();
  context.clock.ms += 60_000;
  progress.update(2000);
  assert.equal(context.stderr.read(), null);
});

test('no work and no elapsed time are shown without a division by zero', async () => {
  const context = contextAt(false);
  const progress = await startProgress({ ...work, total: 0 }, context);
  context.clock.ms += 5000;
  progress.update(0);
  assert.equal(context.stderr.read(), 'Importing a.csv: 0 of 0 rows (100 %)\n');
});

test('on a terminal a bar is drawn and then removed', async () => {
  const context = contextAt(true);
  const progress = await startProgress(work, context);
  context.clock.ms += 2000;
  progress.update(25_000);
  progress.stop();
  const drawn = String(context.stderr.read());
  assert.ok(drawn.includes('[----------] 0 of 50,000 rows (0 %)  Importing a.csv'), drawn);
  const half = '[=====-----] 25,000 of 50,000 rows (50 %), 12,500 rows/s, 2 s left  Import';
  assert.ok(drawn.includes(half), drawn);
  assert.ok(drawn.endsWith('\u001b[1G\u001b[2K'), JSON.stringify(drawn.slice(-20)));
  assert.ok(!drawn.includes('\u001b[?7l'), 'the terminal still wraps lines');
});
