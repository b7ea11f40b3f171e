import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { blockSize } from '../db/blocks.ts';
import { engines } from '../db/testing/engines.ts';
import { recordingEngine } from '../db/testing/recording-engine.ts';
import type { Recorded, RecordingEngine } from '../db/testing/recording-engine.ts';
import { newBook } from '../identity/users/testing/new-book.ts';
import { plainId, sharedId } from './comparison.ts';
import type { ImportEntry } from './entry.ts';
import { importEntries } from './commit.ts';
import { entryOf } from './testing/import-book.ts';

const blocks = 2;
/** For each block of a file: its rows by their ids and by their months, the new ones, and what they change. */
const mostForBlock = 16;

/**
 * A row of the bank. Its days have more than one row, and its months more than one block. Each purchase happens twice;
 * amounts come back after a month.
 */
function plain(n: number, change: Partial<ImportEntry> = {}): ImportEntry {
  const pair = Math.floor(n / 2);
  const date = new Date(Date.UTC(2026, 0, 5 + Math.floor(n / 40))).toISOString().slice(0, 10);
  const parts = { line: n + 2, date, amount: -100 * (1 + (pair % 700)), payee: `Shop ${pair % 7}` };
  return entryOf({ ...parts, ...change });
}

/** An entry with the id of its bank. */
function withId(n: number, change: Partial<ImportEntry> = {}): ImportEntry {
  const bankId = { id: `FIT-${n}`, nth: 1, isRepeated: false };
  return { ...plain(n, change), bankId, externalId: plainId(bankId) };
}

/** An entry whose id is also that of another one. */
function sharingEntry(n: number): ImportEntry {
  const entry = plain(n, { amount: -n - 1 });
  const bankId = { id: `SHARED-${Math.floor(n / 2)}`, nth: 1, isRepeated: true };
  return { ...entry, bankId, externalId: sharedId(bankId, entry) };
}

interface BankFile {
  readonly name: string;
  readonly entry: (n: number) => ImportEntry;
  /** Where it begins in the rows of the bank: at 0, or by the share of its length. */
  readonly from?: number;
  /** The share of its entries that is new. */
  readonly noMatch: number;
}

const others = (n: number): ImportEntry => plain(n + 20_000);
const othersWithIds = (n: number): ImportEntry => withId(n + 20_000);
const third = (n: number): ImportEntry => plain(n + 40_000);
const thirdWithIds = (n: number): ImportEntry => withId(n + 40_000);

/** In the order in which a book gets them. */
const files: readonly BankFile[] = [
  {
    name: 'pending entries of a new account',
    entry: (n) => withId(n, { isPending: true }),
    noMatch: 1,
  },
  { name: 'the same entries', entry: (n) => withId(n, { isPending: true }), noMatch: 0 },
  { name: 'the same, posted', entry: (n) => withId(n), noMatch: 0 },
  {
    name: 'the same, corrected',
    entry: (n) => withId(n, { payee: `Shop ${n % 9} of the bank` }),
    noMatch: 0,
  },
  { name: 'other entries of the account', entry: (n) => withId(n + 10_000), noMatch: 1 },
  { name: 'these without ids', entry: (n) => plain(n + 10_000), noMatch: 0 },
  { name: 'ids that entries share', entry: (n) => sharingEntry(n), noMatch: 1 },
  { name: 'these again', entry: (n) => sharingEntry(n), noMatch: 0 },
  { name: 'entries without ids', entry: others, noMatch: 1 },
  { name: 'a later export of them', entry: others, from: 0.5, noMatch: 0.5 },
  { name: 'the later export with ids', entry: othersWithIds, from: 0.5, noMatch: 0 },
  { name: 'the first export with ids', entry: othersWithIds, noMatch: 0 },
  { name: 'the first export again', entry: others, noMatch: 0 },
  { name: 'a later export before the first', entry: third, from: 0.5, noMatch: 1 },
  { name: 'the first with ids', entry: thirdWithIds, noMatch: 0.5 },
  { name: 'the later one with ids', entry: thirdWithIds, from: 0.5, noMatch: 0 },
];

function textOf({ step }: Recorded): string {
  return 'insertInto' in step ? `rows of ${step.insertInto}` : step.sql;
}

for (const { name, skip, open } of engines) {
  describe(`statements of an import on ${name}`, { skip }, () => {
    let engine: RecordingEngine;
    before(async () => {
      engine = recordingEngine(await open());
    });

    const statementsOf = async (
      bookId: number,
      count: number,
      { name: what, entry, from = 0, noMatch }: BankFile,
    ): Promise<string[]> => {
      const before = engine.recorded.length;
      const { imported, skippedDuplicates, replaced, doubtful } = await importEntries(
        engine,
        bookId,
        {
          entries: () => Array.from({ length: count }, (_, n) => entry(n + from * count)),
          defaultAccount: 'Bank',
          dryRun: false,
          format: 'ofx',
        },
      );
      assert.deepEqual(
        [imported, skippedDuplicates + replaced, doubtful.count],
        [count * noMatch, count * (1 - noMatch), 0],
        what,
      );
      // On SQLite a row with values of its own has its own update, which costs the least there.
      const ownUpdate = /^UPDATE \w+ SET .* WHERE book_id = \? AND id = \?$/s;
      return engine.recorded
        .slice(before)
        .map(textOf)
        .filter((text) => !ownUpdate.test(text));
    };

    it('are some for each block of entries with ids of a bank, and none for each entry', async () => {
      const [small, large] = [await newBook(engine), await newBook(engine)];
      for (const file of files) {
        const one = await statementsOf(small.id, blockSize, file);
        const more = await statementsOf(large.id, blockSize * (1 + blocks), file);
        const added = (more.length - one.length) / blocks;
        assert.ok(added <= mostForBlock, `${file.name}: ${added} for each block`);
      }
    });

    it('look up ids in their index, whatever statistics an engine has', async () => {
      const { id } = await newBook(engine);
      for (const file of files) {
        const statements = await statementsOf(id, 20, file);
        const ofIds = statements.filter((text) => /\bt\.external_id\s*(IN|=|>)/.test(text));
        const isFound = /INDEXED BY transactions_by_external_id|CROSS JOIN LATERAL .* OFFSET 0\)/s;
        for (const text of ofIds) assert.match(text, isFound, file.name);
      }
    });

    it('read the rules and the recurring items once', async () => {
      const { id } = await newBook(engine);
      const statements = await statementsOf(id, blockSize * 2 + 1, files[0]!);
      const reading = (table: string): number =>
        statements.filter((text) => new RegExp(`SELECT[^;]*FROM ${table}\\b`).test(text)).length;
      assert.deepEqual([reading('rules'), reading('recurring_items')], [1, 1]);
    });
  });
}
