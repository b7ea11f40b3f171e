import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { BookState, RecordsByKey } from '../../book/testing/book-state.ts';
import type { Engine } from '../../db/engine.ts';
import type { Values } from '../../db/table.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { checkDatabase } from '../../maintenance/doctor.ts';
import { Problem } from '../../operations/problem.ts';
import { RandomBook } from './testing/random-book.ts';
import { firstWrites, stepsArbitrary, type RandomStep } from './testing/random-writes.ts';
import { compareBalances, expectedUndo } from './testing/undo-model.ts';
import { runs } from '../../../../core/src/testing/length.ts';

/** More cases, and others each time: `COFFER_UNDO_CASES=5000`. */
const cases = Number(process.env['COFFER_UNDO_CASES'] ?? 0);
const seed = cases === 0 ? 12 : Math.trunc(Math.random() * 2 ** 31);
/** Histories in which earlier versions of Coffer were wrong, or would be wrong without a guard. */
const examples: [RandomStep[], boolean][] = [
  [
    [
      step('createNewTransactions', 1, 1, 0, 0, 0, 1, 45, 1),
      0,
      0,
      step('createNewTransactions'),
      step('createNewTransactions'),
    ],
    false,
  ],
  [[step('updateTransaction'), 0, step('groupTransactions', 0, 1)], false],
  // Transactions are split again since.
  [
    [
      step('splitTransaction'),
      step('unsplitTransaction'),
      step('unsplitTransaction'),
      step('splitTransaction'),
      step('splitTransaction'),
    ],
    false,
  ],
];
/** Histories in which an undo left a wrong state, or found a conflict that is none; then, whether all is undone. */
const named: Readonly<Record<string, [RandomStep[], boolean]>> = {
  'moves a balance back that only a later change has moved, by deleting what it created': [
    [
      step('createNewTransactions', 15, 0, 0, 0, 0, 0, 0, 1),
      step('deleteTransactionById', 0, 21, 43, 0, 55, 9, 5, 4, 33, 3, 17, 27),
    ],
    false,
  ],
  'keeps a group dissolved if one of its members stays as it is': [
    [step('groupTransactions'), 0, step('updateTransactions')],
    false,
  ],
  'restores a transaction of an account that was deleted, restored and deleted again': [
    [
      step('deleteManualAccount', 0, 21, 35, 13),
      step('deleteTransactions', 0, 0, 33, 6),
      ...[3, 0],
    ],
    true,
  ],
  'has nothing left to undo if only what an import had said is in the way': [
    [step('import', 0, 0, 40, 0, 0, 0, 0, 0, 0, 21), ...[0, 0, 0]],
    false,
  ],
  'restores a merged account with its balance, also if it came back and was deleted since': [
    [
      step('mergeManualAccount', 0, 0, 3),
      0,
      step('deleteManualAccount', 0, 0, 3),
      16,
      step('createNewTransactions'),
    ],
    false,
  ],
  'moves balances by an undo in part, also if another undo has restored what it had removed': [
    [
      step('createNewTransactions', 0, 0, 0, 0, 0, 0, 1, 0, 25),
      step('createNewTransactions', 0, 0, 0, 0, 0, 0, 1),
      step('deleteManualAccount'),
      0,
      step('createNewTransactions', 0, 46, 0, 0, 10, 0, 1),
      ...[33, 20],
    ],
    true,
  ],
};
const internal = /^(import_forms|account_numbers) /;

for (const { name, skip, open } of usualEngines) {
  describe(`the undo of any change on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-10T00:00:00.000Z'));
    });

    const undoHistory = async (
      steps: readonly RandomStep[],
      isToTheStart: boolean,
      outcomes = newOutcomes(),
    ): Promise<void> => {
      const history = new History(await RandomBook.open(engine), outcomes);
      await history.begin();
      for (const step of steps) await history.take(step);
      if (isToTheStart) await history.undoAll();
      else await history.undoOldest();
      assert.deepEqual(await history.book.lostFiles(), []);
    };

    for (const [title, [steps, isToTheStart]] of Object.entries(named))
      it(title, async () => {
        await undoHistory(steps, isToTheStart);
        assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
      });

    it('restores what a model says, or lists the conflicts that it finds; and all, newest first', async (t) => {
      const outcomes = newOutcomes();
      await fc.assert(
        fc.asyncProperty(stepsArbitrary(18), fc.boolean(), (steps, isToTheStart) =>
          undoHistory(steps, isToTheStart, outcomes),
        ),
        { examples, numRuns: runs(cases || (name === 'SQLite' ? 40 : 10)), seed },
      );
      t.diagnostic(`seed ${seed}: ${JSON.stringify(outcomes)}`);
      assert.ok(outcomes.undone > 5 && outcomes.refused > 0, JSON.stringify(outcomes));
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
    });
  });
}

function step(kind: Exclude<RandomStep, number>['kind'], ...seeds: number[]): RandomStep {
  return { kind, seeds: Array.from({ length: 12 }, (_, at) => seeds[at] ?? 0) };
}

type Outcomes = Record<'undone' | 'redone' | 'refused' | 'partly' | 'empty', number>;

const newOutcomes = (): Outcomes => ({ undone: 0, redone: 0, refused: 0, partly: 0, empty: 0 });

/** A book with its earlier states, and a model of what is undone. */
class History {
  readonly book: RandomBook;
  readonly #outcomes: Outcomes;
  readonly #states = new Map<number, BookState>();
  /** What each undo undoes. */
  readonly #undos = new Map<number, number>();
  #first = 0;

  constructor(book: RandomBook, outcomes: Outcomes) {
    this.book = book;
    this.#outcomes = outcomes;
  }

  async begin(): Promise<void> {
    for (const write of firstWrites) await this.book.perform(write, await this.book.state());
    this.#first = await this.#skip();
  }

  async take(step: RandomStep): Promise<void> {
    const now = this.#states.get(await this.book.version())!;
    if (typeof step !== 'number') {
      await this.book.perform(step, now);
      await this.#skip();
      return;
    }
    // The last ones are undone more often.
    const all = this.#versions();
    const version = all.at(-1 - (step % Math.max(1, step < 15 ? 2 : all.length)));
    if (version !== undefined) await this.#undo(version, now);
  }

  /** Undoes every change that is not undone, the newest first. Restores the first state. */
  async undoAll(): Promise<void> {
    for (const version of this.#versions().toReversed())
      if (!this.#undos.has(version) && this.#undoing(version) === undefined)
        await this.#undo(version, this.#states.get(await this.book.version())!);
  }

  /** Undoes the oldest changes: most of the conflicts are theirs. */
  async undoOldest(): Promise<void> {
    for (const version of this.#versions().slice(0, 6))
      await this.#undo(version, this.#states.get(await this.book.version())!);
  }

  /** The versions with known states before and after. */
  #versions(): number[] {
    const isKnown = (version: number): boolean =>
      version > this.#first && this.#states.has(version - 1);
    return [...this.#states.keys()].filter(isKnown);
  }

  /** The undo of a version that is not undone itself. */
  #undoing(version: number): number | undefined {
    const all = [...this.#undos].filter(([, undoes]) => undoes === version);
    return all.findLast(([each]) => this.#undoing(each) === undefined)?.[0];
  }

  async #undo(version: number, now: BookState): Promise<void> {
    const last = await this.book.version();
    const undoing = this.#undoing(version);
    const [start, end] = [this.#states.get(version - 1)!, this.#states.get(version)!];
    const later = [...this.#states].filter(([each]) => each > version).map(([, state]) => state);
    const expected = expectedUndo(start, end, later);
    try {
      const { version: made, undoes, conflicts } = await this.book.undo(version, 'refuse');
      assert.deepEqual([made, undoes, conflicts], [last + 1, version, []]);
      assert.deepEqual([undoing, expected.conflicts], [undefined, []]);
      this.#outcomes[this.#undos.has(version) ? 'redone' : 'undone'] += 1;
      this.#undos.set(made!, version);
      await this.#skip();
      const after = this.#states.get(made!)!;
      compare(after, version === last ? start : withoutTimes(expected.state));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#assertRefused(error, version, expected.conflicts, undoing);
      if (error.kind === 'undone' && undoing === undefined)
        compare(withoutTimes(now), withoutTimes(expected.state));
      assert.deepEqual(await this.book.state(), now);
      assert.equal(await this.book.version(), last);
      if (error.kind === 'undoConflict') await this.#undoRest(version, now);
    }
    for (const { version: own, undone_version: by } of await this.book.imports())
      assert.equal(by !== null, own !== null && this.#undoing(own) !== undefined, 'its status');
  }

  /** Undoes what has no conflicts. Each record is as it was, or as an undo makes it. */
  async #undoRest(version: number, now: BookState): Promise<void> {
    const [start, end] = [this.#states.get(version - 1)!, this.#states.get(version)!];
    const undone = await this.book.undo(version, 'skip').catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      return null;
    });
    if (undone === null) {
      compare(await this.book.state(), now);
      return;
    }
    this.#outcomes.partly += 1;
    this.#undos.set(undone.version!, version);
    await this.#skip();
    const after = this.#states.get(undone.version!)!;
    const kept = new Set(undone.conflicts.flatMap(({ blocked }) => blocked));
    const rest = withoutTimes(expectedRest(now, start, end));
    compareRest(withoutTimes(after), withoutTimes(now), rest, kept);
    const between = [...this.#states].filter(([each]) => each > version && each < undone.version!);
    compareBalances([start, end, ...between.map(([, state]) => state), after]);
  }

  #assertRefused(
    { kind, details }: Problem,
    version: number,
    conflicts: readonly string[],
    undoing: number | undefined,
  ): void {
    if (kind === 'undone') {
      this.#outcomes.empty += 1;
      assert.equal(details[0]!['undone_by'], undoing, `version ${version}`);
      return;
    }
    this.#outcomes.refused += 1;
    assert.deepEqual([kind, undoing], ['undoConflict', undefined]);
    const found = details.map(({ record, id, key, column, reason }) => {
      const whole = [id, ...Object.values((key ?? {}) as Record<string, unknown>)].join(' ');
      return `${record as string} ${whole} ${column as string}: ${reason as string}`;
    });
    assert.deepEqual([...new Set(found)].toSorted(), conflicts);
    assert.ok(!found.some((each) => internal.test(each)));
  }

  async #skip(): Promise<number> {
    const version = await this.book.version();
    if (this.#states.has(version)) return version;
    this.#states.set(version, await this.book.state());
    return version;
  }
}

/** Each record is as it was before the undo, or as an undo makes it. Balances have a rule of their own. */
function compareRest(
  after: BookState,
  now: BookState,
  whole: BookState,
  kept: ReadonlySet<string>,
): void {
  for (const [table, records] of after)
    for (const key of new Set([...records.keys(), ...now.get(table)!.keys()])) {
      const [is, current, expected] = [records, now.get(table)!, whole.get(table)!].map((each) =>
        JSON.stringify(each.get(key), (column, value: unknown) =>
          table === 'manual_accounts' && /^(balance|to_base|balance_as_of)$/.test(column)
            ? 0
            : value,
        ),
      );
      assert.ok(is === current || is === expected, `${table} ${key}: ${is}, not ${expected}`);
      if (kept.has(`${table} ${key}`)) assert.equal(is, current, 'a conflict is kept');
    }
}

/** The state after an undo without conflicts: what the change did is reversed, all else is as it is now. */
function expectedRest(now: BookState, before: BookState, after: BookState): BookState {
  const states = new Map<string, RecordsByKey>();
  for (const [table, records] of now) {
    const [earlier, later] = [before.get(table)!, after.get(table)!];
    const expected = new Map(records);
    for (const [key, row] of earlier)
      if (!later.has(key)) expected.set(key, row);
      else if (expected.has(key))
        expected.set(key, { ...expected.get(key), ...changedBack(row, later.get(key)!) });
    for (const key of later.keys()) if (!earlier.has(key)) expected.delete(key);
    states.set(table, expected);
  }
  return states;
}

function changedBack(before: Values, after: Values): Values {
  return Object.fromEntries(
    Object.entries(before).filter(([name, value]) => value !== after[name]),
  );
}

/** Compares states. `expected` may lack the times of balances. */
function compare(state: BookState, expected: BookState): void {
  const hasTimes = [...expected.get('manual_accounts')!.values()].some(
    (row) => row['balance_as_of'] !== undefined,
  );
  assert.deepEqual(sorted(hasTimes ? state : withoutTimes(state)), sorted(expected));
}

const sorted = (state: BookState): unknown[] =>
  [...state].map(([table, rows]) => [table, [...rows].toSorted(byKey)]);
const byKey = ([one]: readonly [string, Values], [other]: readonly [string, Values]): number =>
  one < other ? -1 : 1;

/** An undo may set the time of a balance. Its anchors then follow from the balance: see account-histories.test.ts. */
function withoutTimes(state: BookState): BookState {
  const accounts = [...state.get('manual_accounts')!].map(([key, row]) => {
    return [key, { ...row, balance_as_of: undefined }] as const;
  });
  const replaced: [string, RecordsByKey][] = [
    ['manual_accounts', new Map(accounts)],
    ['balance_anchors', new Map()],
  ];
  return new Map([...state, ...replaced]);
}
