import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  choicesOf,
  countImported,
  decideDoubtful,
  isImported,
  keepsAllDoubtful,
  noDecisions,
  readDecisions,
  turn,
  verdicts,
  writeDecisions,
} from './rows.ts';
import type { Decisions, Verdict } from './rows.ts';

interface Row {
  readonly number: number | null;
  readonly verdict: Verdict;
  readonly is_imported: boolean;
}

/** Rows as the server judges them: new ones are imported, and some doubtful ones. */
const judged = fc.tuple(fc.constantFrom(...verdicts), fc.boolean());
const files = fc.array(judged, { maxLength: 30 }).map((all) =>
  all.map(([verdict, isKept], place): Row => ({
    number: verdict === 'bad' ? null : place + 1,
    verdict,
    is_imported: verdict === 'new' || (verdict === 'doubtful' && isKept),
  })),
);
const steps = fc.array(fc.oneof(fc.nat(29), fc.boolean()), { maxLength: 40 });

function decide(rows: readonly Row[], actions: readonly (number | boolean)[]): Decisions {
  let decisions = noDecisions;
  for (const action of actions)
    if (typeof action === 'boolean') decisions = decideDoubtful(action, decisions);
    else if (rows[action] !== undefined) decisions = turn(rows[action], decisions);
  return decisions;
}

test('the number of rows to import is that of the rows that are shown as imported', () => {
  fc.assert(
    fc.property(files, steps, (rows, actions) => {
      const decisions = decide(rows, actions);
      const counts = Object.fromEntries(
        verdicts.map((verdict) => [verdict, rows.filter((row) => row.verdict === verdict).length]),
      ) as Record<Verdict, number>;
      const imported = rows.filter((row) => row.is_imported).length;
      const shown = rows.filter((row) => isImported(row, decisions)).length;
      const doubtful = rows.filter((row) => row.verdict === 'doubtful' && row.is_imported).length;
      const usual = { verdicts: counts, imported, doubtful_imported: doubtful };
      assert.equal(countImported(usual, decisions), shown);
    }),
  );
});

test('what is sent gives the server the same rows', () => {
  fc.assert(
    fc.property(files, steps, (rows, actions) => {
      const decisions = decide(rows, actions);
      const choices = new Map(choicesOf(decisions).map(({ number, action }) => [number, action]));
      for (const row of rows) {
        const usual =
          (row.verdict === 'doubtful' ? decisions.keepsDoubtful : null) ?? row.is_imported;
        const choice = row.number === null ? undefined : choices.get(row.number);
        const atServer = choice === undefined ? usual : choice === 'keep';
        assert.equal(isImported(row, decisions), atServer);
      }
    }),
  );
});

test('turning a row twice leaves no decision about it', () => {
  const row = { number: 3, verdict: 'new', is_imported: true } as const;
  const once = turn(row, noDecisions);
  assert.equal(isImported(row, once), false);
  assert.equal(turn(row, once).rows.size, 0);
});

test('all doubtful rows are imported, or none, or some', () => {
  const doubtful = (kept: number) => ({
    verdicts: { ...Object.fromEntries(verdicts.map((each) => [each, 0])), doubtful: 3 },
    imported: kept,
    doubtful_imported: kept,
  });
  for (const [kept, expected] of [
    [0, false],
    [1, null],
    [3, true],
  ] as const) {
    const usual = doubtful(kept) as Parameters<typeof keepsAllDoubtful>[0];
    assert.equal(keepsAllDoubtful(usual, noDecisions), expected);
    for (const keeps of [true, false])
      assert.equal(keepsAllDoubtful(usual, decideDoubtful(keeps, noDecisions)), keeps);
  }
});

test('bad rows, and those that replace pending ones, stay as they are', () => {
  for (const verdict of ['bad', 'replaces'] as const)
    assert.equal(turn({ number: 1, verdict, is_imported: false }, noDecisions), noDecisions);
});

test('decisions are stored and read back; other texts give none', () => {
  fc.assert(
    fc.property(files, steps, (rows, actions) => {
      const decisions = decide(rows, actions);
      assert.deepEqual(readDecisions(writeDecisions(decisions)), decisions);
    }),
  );
  for (const text of [null, '', 'x', '{}', '{"rows":[[1]]}', '{"rows":[["a",{"keeps":1}]]}'])
    assert.deepEqual(readDecisions(text), noDecisions);
  for (const [number, keeps, verdict] of [
    ['1', true, 'new'],
    [1, 'yes', 'new'],
    [1, true, 'odd'],
  ])
    assert.deepEqual(
      readDecisions(JSON.stringify({ rows: [[number, { keeps, verdict }]] })),
      noDecisions,
    );
});
