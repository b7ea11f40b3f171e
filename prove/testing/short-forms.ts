import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { commandsMissing, type Check } from '../run/check.ts';
import { goals } from '../run/goals.ts';

const program = join(import.meta.dirname, '../run.ts');
/** Several times what the slowest check takes on a busy machine. */
const timeoutMs = 300_000;

export function testShortForms(checks: readonly Check[]): void {
  for (const check of checks) {
    const missing = commandsMissing(check);
    const skip = missing.length > 0 && `missing: ${missing.join(', ')}`;
    const { promise } = goals.find(({ id }) => id === check.id)!;
    test(`${check.id}: ${promise}`, { skip }, async (t) => {
      // A group of its own, so that all processes of a check that hangs end with it.
      const child = spawn(process.execPath, [program, '--short', check.id], {
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const deadline = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), timeoutMs);
      const closed = once(child, 'close') as Promise<[number | null]>;
      const [[code], said] = await Promise.all([closed, text(child.stdout)]);
      clearTimeout(deadline);
      t.diagnostic(said);
      assert.equal(code, 0, said);
    });
  }
}
