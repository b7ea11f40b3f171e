import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsMissing } from '../commands.ts';
import type { Check } from '../check.ts';

/** The short form of a check, as a test. */
export function shortForm(check: Check): void {
  const missing = commandsMissing(check);
  const skip = missing.length > 0 && `missing: ${missing.join(', ')}`;
  test(`${check.id}: ${check.promise}`, { skip }, async (t) => {
    const { figure, problems } = await check.run(check.rounds.short);
    t.diagnostic(figure);
    assert.deepEqual(problems, []);
  });
}
