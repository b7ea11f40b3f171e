import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../../..');
/** Fourteen hours ahead of UTC; and half an hour off the hour, with summer time. */
const zones = ['Pacific/Kiritimati', 'America/St_Johns'];
/** Set in the runs below, so that none of them begins runs of its own. */
const mark = 'COFFER_SPEC_IN_ZONE';
const timeoutMs = 120_000;

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the tests of the specification under a time zone, all files in one process. */
function runSpec(zone: string): Promise<Outcome> {
  const files = globSync('test/spec/{*,[!e]*/*}.test.ts', { cwd: ROOT });
  // What the runner above tells its own children would keep this one from being a runner.
  const environment = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const child = spawn(
    process.execPath,
    ['--test', '--test-isolation=none', '--test-force-exit', '--test-reporter=tap', ...files],
    { cwd: ROOT, env: { ...environment, TZ: zone, [mark]: zone }, timeout: timeoutMs },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

function countIn(output: string, word: string): number {
  return Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(output)?.[1]);
}

const skip = process.env[mark] !== undefined && 'this run is in a time zone already';

for (const zone of zones) {
  test(`the tests of the specification pass in the time zone ${zone}`, { skip }, async (t) => {
    const { code, output } = await runSpec(zone);
    const failures = output.split('\n').filter((line) => /^ *not ok /.test(line));
    assert.deepEqual(failures, [], output);
    assert.equal(code, 0, output);
    assert.ok(countIn(output, 'pass') > 100, output);
    t.diagnostic(`${countIn(output, 'pass')} tests passed`);
  });
}

test('the zones are known to this machine: they are not UTC by another name', () => {
  for (const timeZone of zones) {
    const { timeZone: resolved } = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions();
    assert.equal(resolved, timeZone);
  }
});
