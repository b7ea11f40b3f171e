import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sql, { raw } from 'sql-template-tag';
import { changing } from '../book/change.ts';
import { row, run, type Engine, type Steps } from '../db/engine.ts';
import { select } from '../db/rows.ts';
import { manualAccounts } from '../db/tables/tables.ts';
import { usualEngines } from '../db/testing/engines.ts';
import { fillDemo } from '../demo/fill.ts';
import { makeDemoBook } from '../demo/book/make-demo-book.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { removeAccount } from '../ledger/remove.ts';
import { check, checkDatabase } from './doctor.ts';
import type { Finding } from './finding.ts';
import { logSizeOf } from './notes.ts';
import { setNextId, numberedTables } from './tables.ts';
import { damages, set, withoutNumbers } from './testing/damages.ts';
import { followAll } from '../db/follow-search.ts';

const nowIso = '2026-01-01T00:00:00.000Z';

const derived = [
  'transaction_counts',
  'hidden_counts',
  'status_counts',
  'transaction_tags',
  'transaction json',
  'transaction_texts',
  'search_blocks',
  'transaction_sums',
  'activity_sums',
  'account_days',
  'id sequences',
  'keys',
];

/** Changes to derived data, which the doctor repairs. */
const stale: Readonly<Record<string, readonly string[]>> = {
  transaction_counts: [
    "UPDATE transaction_counts SET listed = listed + 1 WHERE granularity = 'month'",
    "DELETE FROM transaction_counts WHERE granularity = 'day'",
    "INSERT INTO transaction_counts VALUES (1, 'day', '1999-01-01', 5)",
  ],
  hidden_counts: [
    "UPDATE hidden_counts SET number = number + 1 WHERE granularity = 'month'",
    'UPDATE hidden_counts SET kind = 7 WHERE kind = 4',
    "DELETE FROM hidden_counts WHERE granularity = 'day'",
    "INSERT INTO hidden_counts VALUES (1, 'day', '1999-01-01', 3, 5)",
  ],
  status_counts: [
    "UPDATE status_counts SET number = number + 1 WHERE granularity = 'month'",
    "UPDATE status_counts SET status = 'delete_pending' WHERE period = (SELECT max(period) FROM status_counts)",
    "DELETE FROM status_counts WHERE granularity = 'day'",
    "INSERT INTO status_counts VALUES (1, 'day', 3, 'reviewed', '1999-01-01', 5)",
  ],
  transaction_tags: [
    'DELETE FROM transaction_tags WHERE transaction_id = (SELECT min(transaction_id) FROM transaction_tags)',
    "UPDATE transaction_tags SET date = '2000-01-01' WHERE transaction_id = (SELECT max(transaction_id) FROM transaction_tags)",
  ],
  transaction_texts: [
    'DELETE FROM transaction_texts WHERE text = (SELECT max(payee) FROM transactions WHERE book_id = 1)',
    "UPDATE transaction_texts SET folded = folded || 'x'",
  ],
  search_blocks: [
    'DELETE FROM search_blocks',
    'UPDATE search_blocks SET last_day = first_day',
    'UPDATE search_blocks SET first_id = first_id + 1',
    'UPDATE search_blocks SET block = substr(block, 1, 50)',
    'UPDATE search_blocks SET block = substr(block, 1, length(block) - 1)',
    'UPDATE search_blocks SET words = substr(words, 2)',
  ],
  transaction_sums: [
    'DELETE FROM transaction_sums WHERE month = (SELECT max(month) FROM transaction_sums)',
    'UPDATE transaction_sums SET low = low + 1 WHERE month = (SELECT min(month) FROM transaction_sums)',
    'UPDATE transaction_sums SET listed = listed - 1 WHERE month = (SELECT min(month) FROM transaction_sums)',
    "INSERT INTO transaction_sums VALUES (1, '1999-01', 0, 0, 0, 2, 0, 1)",
    "INSERT INTO transaction_sums VALUES (1, '1999-01', 0, 0, 0, 0, 0, 0)",
  ],
  activity_sums: [
    'DELETE FROM activity_sums WHERE month = (SELECT max(month) FROM activity_sums)',
    'UPDATE activity_sums SET low = low + 1 WHERE month = (SELECT min(month) FROM activity_sums)',
    'UPDATE activity_sums SET kind = 3 WHERE kind = 0 AND month = (SELECT min(month) FROM activity_sums)',
    "INSERT INTO activity_sums VALUES (1, '1999-01', 0, 3, 2, 0, 1)",
  ],
  account_days: [
    'DELETE FROM account_days WHERE date = (SELECT max(date) FROM account_days)',
    'UPDATE account_days SET low = low + 1 WHERE date = (SELECT min(date) FROM account_days)',
    "UPDATE account_days SET currency = 'xaf' WHERE date = (SELECT min(date) FROM account_days)",
    "INSERT INTO account_days VALUES (1, 1, 0, '1999-01-01', 'usd', 2, 0, 1)",
  ],
};

const at = (day: number): string => `'2026-01-0${day}T00:00:00.000Z'`;

const entry = (version: number, day = 2, undoes: number | null = null): string =>
  `INSERT INTO changes VALUES (1, ${version}, ${at(day)}, 'token 1', 'test', ${undoes});`;
const lineOf = (version: number, values: string, place = 0): string =>
  `INSERT INTO changed_records VALUES (1, ${version}, ${place}, ${values}, 0);`;
const tag = "'tags', 1, 1, 'made', NULL";
const bookAt = (version: number, pruned = 'pruned_version'): string =>
  `UPDATE books SET version = ${version}, changed_at = ${at(9)}, pruned_version = ${pruned};`;

/** Three versions after those of the demo book, whose last one is 2. */
const sound =
  [3, 4, 5].map((version) => entry(version) + lineOf(version, tag)).join('') + bookAt(5);
const ofFive = (values: string): string => `DELETE FROM changed_records WHERE version = 5;
  ${lineOf(5, values)}`;

const without = (versions: string): string => `DELETE FROM changes WHERE version ${versions};`;
const later = (version: number, time: string): string =>
  `UPDATE changes SET at = ${time} WHERE version = ${version}`;

/** Faults that are added to the sound log, and the finding of the doctor. */
const faults: readonly (readonly [fault: string, detail: RegExp])[] = [
  [lineOf(6, tag), /^Change 6 of book 1 is missing, but its record 0 exists$/],
  [ofFive("'tags', 2, 1, 'made', NULL"), /^Record 0 of change 5 of book 1 covers the ids 2 to 1$/],
  [ofFive("'tags', 0, 1, 'made', NULL"), /^Record 0 of change 5 of book 1 covers the ids 0 to 1$/],
  [ofFive(tag) + lineOf(5, tag, 1), /^Record 1 .* is not marked as a further one of tags$/],
  [`UPDATE changed_records SET repeats = 1`, /^Record 0 .* is marked as a further one of tags$/],
  [ofFive("'tag', 1, 1, 'made', NULL"), /^Record 0 .* is of the unknown table "tag"$/],
  [ofFive("'tags', 1, 1, 'removed', NULL"), /^Record 0 .* has no values, but is "removed"$/],
  [ofFive("'budgets', 1, 1, 'made', NULL"), /^Record 0 .* has no values, but is "made"$/],
  [ofFive("'budgets', 1, 1, 'made', '{}'"), /^Record 0 .* has no value of start_date$/],
  [ofFive("'tags', 1, 1, 'removed', '{'"), /^Record 0 .* is not a JSON object$/],
  [ofFive("'tags', 1, 1, 'removed', '[]'"), /^Record 0 .* is not a JSON object$/],
  [ofFive("'tags', 1, 1, 'removed', 'null'"), /^Record 0 .* is not a JSON object$/],
  [ofFive("'tags', 1, 1, 'changed', '{\"nam\":[1,2]}'"), /the unknown column "nam" of tags$/],
  [ofFive("'tags', 1, 1, 'changed', '{\"name\":[1]}'"), /no values of name before and after$/],
  [ofFive(tag) + lineOf(5, tag, 2), /^Change 5 .* has 2 records, but their places end at 2$/],
  ['DELETE FROM changed_records WHERE version = 5', /^Change 5 of book 1 has no records$/],
  [bookAt(5, '3'), /^Change 2 of book 1 exists, although versions up to 3 were pruned$/],
  [without('= 4'), /^Change 5 of book 1 follows version 3: versions are missing$/],
  [without('< 4'), /^Change 4 of book 1 follows version 1: versions are missing$/],
  [without('< 5') + bookAt(5, '3'), /^Change 5 .* follows version 3: versions are missing$/],
  [
    later(4, at(1)),
    /^Change 4 .* follows version 3, but is earlier: 2026-01-01.* is before 2026-01-02/,
  ],
  ['UPDATE changes SET undoes = 5 WHERE version = 5', /undoes version 5, which is not earlier$/],
  [bookAt(6), /^Book 1 has version 6 at .*, but its log ends with version 5 at /],
  [bookAt(4), /^Book 1 has version 4 at .*, but its log ends with version 5 at /],
  [later(5, "'2030'"), /^Book 1 has version 5 at 2026-.*, but its log ends with version 5 at 2030/],
  [without('> 0') + bookAt(5, '4'), /^Book 1 has version 5 .* log ends with version 4 at /],
  [`DELETE FROM changed_records; ${without('> 0')}`, /^Book 1 .* log ends with version 1 at /],
];

const logs: readonly string[] = [
  '',
  // Completely pruned, in part, and with lines that an interrupted run has left.
  `DELETE FROM changed_records; DELETE FROM changes; ${bookAt(5, '5')}`,
  `DELETE FROM changes WHERE version <= 3; ${bookAt(5, '3')}`,
  `DELETE FROM changes; ${bookAt(5, '5')}`,
  // A repair by the doctor changes no record.
  `INSERT INTO changes VALUES (1, 6, ${at(2)}, 'command', 'doctor', NULL); ${bookAt(6)}`,
];

for (const kind of usualEngines) {
  const { name, skip } = kind;
  describe(`the doctor on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await kind.open(() => Date.parse(nowIso));
      const book = await newBook(engine);
      await fillDemo(engine, book.id, makeDemoBook({ transactions: 300 }));
      await followAll(engine, book.id);
    });

    const findAfter = (script: string, repair = false): Promise<Finding[]> =>
      engine.write(
        function* () {
          for (const statement of script.split(';'))
            if (statement.trim() !== '') yield* run(raw(statement));
          return yield* check(repair);
        },
        { rollback: true },
      );

    it('finds nothing in a sound database', async () => {
      assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
    });

    for (const [kind, ofKind] of Object.entries(damages))
      it(`finds damage of the ${kind}, and does not repair it`, async () => {
        for (const [damage, detail] of Object.entries(ofKind)) {
          const all = await findAfter(damage, true);
          const found = all.filter((each) => !derived.includes(each.check));
          const first = found.find((each) => each.check === kind);
          assert.equal(withoutNumbers(first?.detail ?? JSON.stringify(found)), detail, damage);
          assert.ok(found.every(({ repaired }) => !repaired));
        }
      });

    it('lets records name a manual account that was deleted, and none of another book', async () => {
      const own = await kind.open(() => Date.parse(nowIso));
      const [book, other] = [await newBook(own), await newBook(own)];
      await fillDemo(own, book.id, makeDemoBook({ transactions: 300 }));
      const cause = { bookId: book.id, actor: 'test', operation: 'test' };
      const naming = sql`id = (SELECT max(manual_account_id) FROM recurring_items)`;
      const id = await own.write(() =>
        changing(cause, function* (change) {
          const [account] = yield* select(manualAccounts, { book_id: book.id }, { and: naming });
          yield* run(
            sql`UPDATE rules SET conditions = ${JSON.stringify({ manual_account_id: account!.id })}`,
          );
          yield* removeAccount(change, account!);
          return account!.id;
        }),
      );
      assert.deepEqual(await checkDatabase(own, { repair: false }), []);
      await own.write(() =>
        run(sql`UPDATE manual_accounts SET id = ${id}, book_id = ${other.id}
          WHERE id = (SELECT max(id) FROM manual_accounts)`),
      );
      const found = await checkDatabase(own, { repair: false });
      const details = new Set(found.map(({ detail }) => withoutNumbers(detail)));
      const of = 'which does not exist';
      for (const detail of [
        `The manual_account_id of row N of transactions is N, ${of} in manual_accounts`,
        `The manual_account_id of row N of recurring_items is N, ${of} in manual_accounts`,
        `The conditions of rule N name N of manual_accounts, ${of}`,
      ])
        assert.ok(details.has(detail), [...details].join('\n'));
    });

    it('lists twenty findings of a check and counts the rest', async () => {
      const where = "WHERE currency = 'usd'";
      const found = await findAfter(`UPDATE transactions SET to_base = to_base + 1 ${where}`);
      const counting = raw(`SELECT count(*) - 20 AS count FROM transactions ${where}`);
      const { count } = (await engine.read(() => row<{ count: number }>(counting)))!;
      const wrong = found.filter((each) => each.check === 'to_base');
      assert.equal(wrong.length, 21);
      const rest = { check: 'to_base', detail: `… and ${count} more`, repaired: false, count };
      assert.deepEqual(wrong.at(-1), rest);
    });

    const version = (): Steps<{ version: number } | undefined> =>
      row<{ version: number }>(raw('SELECT version FROM books WHERE id = 1'));

    for (const [kind, ofKind] of Object.entries(stale))
      it(`finds and repairs ${kind}`, async () => {
        for (const damage of ofKind)
          await engine.write(
            function* () {
              const before = yield* version();
              yield* run(raw(damage));
              const found = yield* check(false);
              assert.ok(found.length > 0, damage);
              assert.ok(found.every((each) => each.check === kind && !each.repaired));
              const repaired = found.map((each) => ({ ...each, repaired: true }));
              assert.deepEqual(yield* check(true), repaired);
              assert.deepEqual(yield* check(false), []);
              const after = yield* version();
              assert.ok(after!.version > before!.version, 'cached pages become invalid');
            },
            { rollback: true },
          );
      });

    const keysAndIds: readonly (readonly [damage: string, detail: RegExp, isRepaired?: boolean])[] =
      [
        [
          "DELETE FROM database_identity WHERE name = 'file_links'",
          /"file_links" .* is missing: no link/,
        ],
        ["UPDATE database_identity SET value = '' WHERE name = 'id'", /"id" .* is not 32 hexa/],
        [
          "DELETE FROM database_identity WHERE name = 'account_numbers'",
          /"account_numbers" .* missing/,
        ],
        [
          `INSERT INTO account_numbers (book_id, manual_account_id, number_hash) VALUES (1, 1, 'x');
          DELETE FROM database_identity WHERE name = 'account_numbers'`,
          /"account_numbers" .* missing/,
          false,
        ],
        ...['transactions', 'tags', 'rules', 'users'].map(
          (table) =>
            [
              `SET ${table} TO 1`,
              new RegExp(`^The next id of ${table} is 1, but the id \\d+ was`),
            ] as const,
        ),
        [
          "UPDATE changed_records SET last_id = 99999 WHERE record = 'tags'",
          /^The next id of tags is \d+, but the id 99999 was used already$/,
        ],
      ];

    it('finds and repairs missing keys, and sequences behind ids that were used', async () => {
      for (const [damage, detail, isRepaired = true] of keysAndIds)
        await engine.write(
          function* () {
            const [, table] = /^SET (\w+)/.exec(damage) ?? [];
            const parts = table === undefined ? damage.split(';') : [];
            for (const statement of parts) yield* run(raw(statement));
            if (table !== undefined)
              yield* setNextId(
                numberedTables.find(({ name }) => name === table)!,
                1,
              );
            const [found, ...others] = yield* check(true);
            assert.deepEqual([found?.repaired, others], [isRepaired, []], damage);
            assert.match(found?.detail ?? '', detail);
            assert.equal((yield* check(false)).length, isRepaired ? 0 : 1);
          },
          { rollback: true },
        );
    });

    it('repairs more than it lists', async () => {
      const both = await engine.write(
        function* () {
          yield* run(raw('UPDATE transaction_counts SET listed = listed + 1'));
          const found = yield* check(true);
          return { found, left: yield* check(false) };
        },
        { rollback: true },
      );
      assert.equal(both.found.length, 21);
      assert.ok(both.found.every(({ repaired }) => repaired));
      assert.deepEqual(both.left, []);
    });

    it('reads all metadata of a large book', async () => {
      const last = `
        INSERT INTO transactions (id, book_id, date, amount, currency, to_base, payee, status, custom_metadata,
          created_at, updated_at)
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5001)
        SELECT 1000000 + n, 1, '9999-12-31', 0, 'usd', 0, '', 'reviewed', CASE WHEN n < 5001 THEN '{}' ELSE '{' END, '', ''
        FROM numbers`;
      const found = await findAfter(last);
      const details = found.filter((each) => each.check === 'metadata').map(({ detail }) => detail);
      assert.deepEqual(details, [
        'The custom_metadata of transaction 1005001 cannot be read as JSON',
      ]);
    });

    it('finds each fault of the change log', async () => {
      for (const [fault, detail] of faults) {
        const all = await findAfter(sound + fault);
        const found = all.filter((each) => each.check !== 'times');
        const details = found.map((each) => each.detail);
        const isFound = details.some((each) => detail.test(each));
        assert.ok(isFound, `${fault}: ${details.join('; ')}`);
        assert.ok(found.every((each) => each.check === 'change log' && !each.repaired));
      }
    });

    it('finds nothing in a sound log', async () => {
      for (const log of logs) assert.deepEqual(await findAfter(sound + log), [], log);
    });

    it('measures the log', async () => {
      const { versions, lines, bytes, oldest_at } = await logSizeOf(engine);
      assert.deepEqual([versions, oldest_at?.slice(0, 10)], [1, '2026-01-01']);
      assert.ok(lines > 5 && bytes > 40 * lines, `${lines} lines, ${bytes} bytes`);
    });

    if (name === 'PostgreSQL') return;
    const text = (hex: string): string => `CAST(x'${hex}' AS TEXT)`;
    const invalid: readonly (readonly [table: string, damage: string])[] = [
      ['transactions', set(`payee = ${text('41ff')}`)],
      ['transactions', set(`payee = ${text('41c3')}, original_name = ${text('a942')}`)],
      ['users', `UPDATE users SET name = ${text('eda080')}`],
      ['transaction_counts', `INSERT INTO transaction_counts VALUES (1, 'day', ${text('80')}, 1)`],
      [
        'tags',
        `INSERT INTO tags (book_id, name, created_at, updated_at)
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5001)
        SELECT 1, iif(n < 5001, n, ${text('c0af')}), '', '' FROM numbers`,
      ],
    ];
    it('finds text that is not UTF-8', async () => {
      for (const [table, damage] of invalid) {
        const found = await findAfter(damage);
        const details = found.filter((each) => each.check === 'text').map(({ detail }) => detail);
        const expected = `^Row [^,]+(, .+)? of ${table} has text that is not UTF-8$`;
        assert.match(details.join(), new RegExp(expected), damage);
      }
    });
  });
}
