import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProven, noteDates } from './pairing.ts';

test('dates of two formats agree after five that are equal, and none that differs', () => {
  const agreement = { equal: 0, different: 0 };
  const dated = (...days: string[]) => days.map((date) => ({ date }));
  const note = (rows: string[], entries: string[]) =>
    noteDates(agreement, { rows: dated(...rows), entries: dated(...entries) });
  for (let equal = 0; equal < 5; equal += 1) {
    assert.equal(isProven(agreement), false, `${equal}`);
    // What could be paired in several ways says nothing.
    note(['2026-01-02', '2026-01-03'], ['2026-01-02']);
    note(['2026-01-02'], ['2026-01-03', '2026-01-04']);
    note(['2026-01-05'], ['2026-01-05']);
  }
  assert.equal(isProven(agreement), true);
  note(['2026-01-06'], ['2026-01-07']);
  assert.equal(isProven(agreement), false);
});
