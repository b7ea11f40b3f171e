import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { checks } from '../checks.ts';
import { commandsMissing } from '../run/commands.ts';
import { goals } from '../run/goals.ts';

const program = join(import.meta.dirname, '../run.ts');
/** Several times what the slowest check takes on a busy machine. */
const timeoutMs = 300_000;

/** Adds a test for the short form of each check with a number that leaves `rest` when it is divided by `by`. */
export function testShortForms(rest: number, by: number): void {
  for (const check of checks.filter(({ id }) => Number(id.slice(1)) % by === rest)) {
    const missing = commandsMissing(check);
    const skip = missing.length > 0 && `missing: ${missing.join(', ')}`;
    const { promise } = goals.find(({ id }) => id === check.id)!;
    test(`${check.id}: ${promise}`, { skip }, async (t) => {
      // A group of its own, so that all processes of a check that hangs end with it.
      const child = spawn(process.execPath, [program, '--short', check.id], {
        ...{ detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
      });
      const deadline = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), timeoutMs);
      const [[code], said] = await Promise.all([once(child, 'close'), text(child.stdout!)]);
      clearTimeout(deadline);
      t.diagnostic(said);
      assert.equal(code, 0, said);
    });
  }
}
