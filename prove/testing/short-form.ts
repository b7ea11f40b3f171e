import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promiseOf } from '../goals.ts';
import type { Check } from '../run/check.ts';
import { commandsMissing } from '../run/commands.ts';

/** Adds a test for the short form of each check; they run one after the other. */
export function testShortForms(...checks: readonly Check[]): void {
  for (const check of checks) {
    const missing = commandsMissing(check);
    const skip = missing.length > 0 && `missing: ${missing.join(', ')}`;
    test(`${check.id}: ${promiseOf(check.id)}`, { skip }, async (t) => {
      const { figure, problems } = await check.run(check.rounds.short);
      t.diagnostic(figure);
      assert.deepEqual(problems, []);
    });
  }
}
