import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { raw } from 'sql-template-tag';
import { run } from '../db/engine.ts';
import type { Engine } from '../db/engine.ts';
import { usualEngines } from '../db/testing/engines.ts';
import { fillDemo } from '../demo/fill.ts';
import { makeDemoBook } from '../demo/make-demo-book.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import { check } from './doctor.ts';
import { logSizeOf } from './log-size.ts';

const at = (day: number): string => `'2026-01-0${day}T00:00:00.000Z'`;

const entry = (version: number, day = 2, undoes: number | null = null): string =>
  `INSERT INTO changes VALUES (1, ${version}, ${at(day)}, 'token 1', 'test', ${undoes});`;
const line = (version: number, values: string, place = 0): string =>
  `INSERT INTO changed_records VALUES (1, ${version}, ${place}, ${values}, 0);`;
const tag = "'tags', 1, 1, 'made', NULL";
const bookAt = (version: number, pruned = 'pruned_version'): string =>
  `UPDATE books SET version = ${version}, changed_at = ${at(9)}, pruned_version = ${pruned};`;

/** Three versions after those of the demo book, whose last one is 2. */
const sound = [3, 4, 5].map((version) => entry(version) + line(version, tag)).join('') + bookAt(5);
const ofFive = (values: string): string => `DELETE FROM changed_records WHERE version = 5;
  ${line(5, values)}`;

/** Faults that are added to the sound log, and the finding of the doctor. */
const faults: readonly (readonly [fault: string, detail: RegExp])[] = [
  [line(6, tag), /^Change 6 of book 1 is missing, but its record 0 exists$/],
  [ofFive("'tags', 2, 1, 'made', NULL"), /^Record 0 of change 5 of book 1 covers the ids 2 to 1$/],
  [ofFive("'tags', 0, 1, 'made', NULL"), /^Record 0 of change 5 of book 1 covers the ids 0 to 1$/],
  [ofFive(tag) + line(5, tag, 1), /^Record 1 .* is not marked as a further one of tags$/],
  [
    'UPDATE changed_records SET repeats = 1 WHERE version = 5',
    /^Record 0 .* is marked as a further one of tags$/,
  ],
  [ofFive("'tag', 1, 1, 'made', NULL"), /^Record 0 .* is of the unknown table "tag"$/],
  [ofFive("'tags', 1, 1, 'removed', NULL"), /^Record 0 .* has no values, but is "removed"$/],
  [ofFive("'budgets', 1, 1, 'made', NULL"), /^Record 0 .* has no values, but is "made"$/],
  [ofFive("'budgets', 1, 1, 'made', '{}'"), /^Record 0 .* has no value of start_date$/],
  [ofFive("'tags', 1, 1, 'removed', '{'"), /^Record 0 .* is not a JSON object$/],
  [ofFive("'tags', 1, 1, 'removed', '[]'"), /^Record 0 .* is not a JSON object$/],
  [ofFive("'tags', 1, 1, 'removed', 'null'"), /^Record 0 .* is not a JSON object$/],
  [ofFive("'tags', 1, 1, 'changed', '{\"nam\":[1,2]}'"), /the unknown column "nam" of tags$/],
  [ofFive("'tags', 1, 1, 'changed', '{\"name\":[1]}'"), /no values of name before and after$/],
  [ofFive(tag) + line(5, tag, 2), /^Change 5 of book 1 has 2 records, but their places end at 2$/],
  ['DELETE FROM changed_records WHERE version = 5', /^Change 5 of book 1 has no records$/],
  [bookAt(5, '3'), /^Change 2 of book 1 exists, although versions up to 3 were pruned$/],
  [
    'DELETE FROM changes WHERE version = 4',
    /^Change 5 of book 1 follows version 3: versions are missing$/,
  ],
  [
    'DELETE FROM changes WHERE version < 4',
    /^Change 4 of book 1 follows version 1: versions are missing$/,
  ],
  [
    `DELETE FROM changes WHERE version < 5; ${bookAt(5, '3')}`,
    /^Change 5 of book 1 follows version 3: versions are missing$/,
  ],
  [
    `UPDATE changes SET at = ${at(1)} WHERE version = 4`,
    /^Change 4 of book 1 follows version 3, but is earlier: 2026-01-01.* is before 2026-01-02/,
  ],
  ['UPDATE changes SET undoes = 5 WHERE version = 5', /undoes version 5, which is not earlier$/],
  [bookAt(6), /^Book 1 has version 6 at .*, but its log ends with version 5 at /],
  [bookAt(4), /^Book 1 has version 4 at .*, but its log ends with version 5 at /],
  [
    `UPDATE changes SET at = '2030-01-01T00:00:00.000Z' WHERE version = 5`,
    /^Book 1 has version 5 at 2026-.*, but its log ends with version 5 at 2030-/,
  ],
  [
    `DELETE FROM changes; ${bookAt(5, '4')}`,
    /^Book 1 has version 5 at .*, but its log ends with version 4 at /,
  ],
  [
    'DELETE FROM changed_records; DELETE FROM changes',
    /^Book 1 has version 5 at .*, but its log ends with version 1 at /,
  ],
];

/** Logs without a fault. */
const logs: readonly string[] = [
  '',
  // Completely pruned, in part, and with lines that an interrupted run has left.
  `DELETE FROM changed_records; DELETE FROM changes; ${bookAt(5, '5')}`,
  `DELETE FROM changes WHERE version <= 3; ${bookAt(5, '3')}`,
  `DELETE FROM changes; ${bookAt(5, '5')}`,
  // A repair by the doctor changes no record.
  `INSERT INTO changes VALUES (1, 6, ${at(2)}, 'command', 'doctor', NULL); ${bookAt(6)}`,
];

for (const { name, skip, open } of usualEngines) {
  describe(`the doctor's check of the change log on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
      await newBook(engine);
      await fillDemo(engine, 1, makeDemoBook({ transactions: 100 }));
    });

    const findAfter = (script: string) =>
      engine.write(
        function* () {
          for (const statement of (sound + script).split(';'))
            if (statement.trim() !== '') yield* run(raw(statement));
          return yield* check(false);
        },
        { rollback: true },
      );

    it('finds each fault', async () => {
      for (const [fault, detail] of faults) {
        const found = await findAfter(fault);
        const details = found.map((each) => each.detail);
        assert.ok(
          details.some((each) => detail.test(each)),
          `${fault}: ${details.join('; ')}`,
        );
        assert.ok(found.every((each) => each.check === 'change log' && !each.repaired));
      }
    });

    it('finds nothing in a sound log', async () => {
      for (const log of logs) assert.deepEqual(await findAfter(log), [], log);
    });

    it('measures the log', async () => {
      const { versions, lines, bytes, oldest_at } = await logSizeOf(engine);
      assert.deepEqual([versions, oldest_at?.slice(0, 10)], [1, '2026-01-01']);
      assert.ok(lines > 5 && bytes > 40 * lines, `${lines} lines, ${bytes} bytes`);
    });
  });
}
