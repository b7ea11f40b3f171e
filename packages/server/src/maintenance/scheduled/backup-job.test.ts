import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { select } from '../../db/rows.ts';
import { backupResults } from '../../db/tables/tables.ts';
import { onEngines } from '../../http/testing/engine-book.ts';
import { backupJob, expired } from './backup-job.ts';
import type { BackupPlace } from './place.ts';

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 10, 1);

describe('which backups are kept', () => {
  const at = (day: number) => `coffer-2026110${day}T030000Z.bak`;
  const others = [2, 5, 1, 4, 3].map(at);
  const nowMs = Date.UTC(2026, 10, 6, 3);
  for (const [keep, keepMs, days] of [
    [10, null, ''],
    [6, null, ''],
    [5, null, '1'],
    [2, null, '4321'],
    [1, null, '54321'],
    [10, 5 * dayMs, ''],
    [10, 2 * dayMs, '321'],
    [3, 4 * dayMs, '321'],
    [10, 1, '54321'],
    // The clock was set back: they are from the future.
    [10, -10 * dayMs, '54321'],
  ] as const)
    it(`with ${keep} for ${keepMs ?? 'ever'}`, () => {
      const found = expired(others, { keep, keepMs }, nowMs);
      assert.deepEqual(found, days.split('').map(Number).map(at));
    });

  it('not before those that were made since the clock went back', () => {
    const future = 'coffer-20270301T030000Z.bak';
    assert.deepEqual(expired([future, ...others], { keep: 5, keepMs: null }, nowMs), [
      at(1),
      future,
    ]);
  });
});

onEngines('the job for backups', (open) => {
  it('notes successes and failures, and removes what is not kept', async () => {
    const { engine } = await open();
    const kept = new Set<string>();
    const log: string[] = [];
    const note = (_details: object, message: string) => void log.push(message);
    let failure: Error | null = null;
    let lost = 0;
    let swept = 0;
    const backups: BackupPlace = {
      nameOf: (at) => `coffer-${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.bak`,
      make: (_engine, name) => {
        if (failure !== null) return Promise.reject(failure);
        kept.add(name);
        return Promise.resolve({ bytes: 7, attached: 3, hasFiles: true, lost });
      },
      names: () => Promise.resolve([...kept]),
      remove: (name) => Promise.resolve(void kept.delete(name)),
      sweep: () => Promise.resolve(void (swept += 1)),
    };
    const job = backupJob(
      backups,
      { everyMs: dayMs, keep: 2, keepMs: null },
      { info: note, error: note },
    );
    const run = (day: number, signal = new AbortController().signal) =>
      job.run(engine, startMs + day * dayMs, signal);
    const results = async () => {
      const found = await engine.read(() => select(backupResults, {}));
      return found.map(({ outcome, at, bytes, message }) =>
        [outcome, at.slice(8, 10), bytes, message].join(' ').trim(),
      );
    };
    for (const day of [0, 1, 2]) await run(day);
    assert.deepEqual([...kept], ['coffer-20261102T000000Z.bak', 'coffer-20261103T000000Z.bak']);
    assert.deepEqual([await results(), swept], [['succeeded 03 7'], 3]);
    failure = new Error('The disk is full');
    await assert.rejects(run(3), failure);
    assert.deepEqual(await results(), ['failed 04  The disk is full', 'succeeded 03 7']);
    // A server that stops has not failed.
    await assert.rejects(run(4, AbortSignal.abort()));
    assert.equal((await results())[0], 'failed 04  The disk is full');
    [failure, lost] = [null, 2];
    await run(5);
    const message = '2 attached files are lost, and not in the backup';
    assert.deepEqual(await results(), [`failed 06  ${message}`, 'succeeded 06 7']);
    assert.equal(kept.size, 2, 'a failure removes no backup');
    // The new backup is there, so the job has succeeded.
    backups.sweep = () => Promise.reject(new Error('planted'));
    lost = 0;
    log.length = 0;
    await run(6);
    assert.deepEqual(log, ['A backup was made', 'Old backups were not removed']);
    assert.equal((await results())[1], 'succeeded 07 7');
  });
});
