import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { blockSize } from '../db/blocks.ts';
import { engines } from '../db/testing/engines.ts';
import { recordingEngine } from '../db/testing/recording-engine.ts';
import type { Recorded, RecordingEngine } from '../db/testing/recording-engine.ts';
import { newBook } from '../resources/users/testing/new-book.ts';
import { plainId, sharedId } from './bank-ids.ts';
import type { ImportEntry } from './entry.ts';
import { importEntries } from './import.ts';

const blocks = 2;
/** For each block of a file: its rows by their ids and by their months, the new ones, and what they change. */
const mostForBlock = 16;

/** An entry with the id of its bank, on the days of two months. */
function entryOf(n: number, change: Partial<ImportEntry> = {}): ImportEntry {
  const bankId = { id: `FIT-${n}`, nth: 1, isRepeated: false };
  const date = new Date(Date.UTC(2026, 0, 1 + (n % 50))).toISOString().slice(0, 10);
  return {
    ...{ line: n + 2, date, amount: -100 * (n + 1), currency: null, payee: `Shop ${n % 9}` },
    ...{ notes: null, category: null, account: null, bankId, externalId: plainId(bankId) },
    ...change,
  };
}

/** An entry whose id is also that of another one. */
function sharingEntry(n: number): ImportEntry {
  const entry = entryOf(n);
  const bankId = { id: `SHARED-${Math.floor(n / 2)}`, nth: 1, isRepeated: true };
  return { ...entry, bankId, externalId: sharedId(bankId, entry) };
}

/** Files in the order in which a book gets them, with how many of their entries are new, for each one of them. */
const files: readonly (readonly [name: string, entry: (n: number) => ImportEntry, isNew: 0 | 1])[] =
  [
    ['pending entries of a new account', (n) => entryOf(n, { isPending: true }), 1],
    ['the same entries', (n) => entryOf(n, { isPending: true }), 0],
    ['the same, posted', (n) => entryOf(n), 0],
    ['the same, corrected', (n) => entryOf(n, { payee: `Shop ${n % 9} of the bank` }), 0],
    ['other entries of the account', (n) => entryOf(n + 10_000), 1],
    ['ids that entries share', sharingEntry, 1],
    ['these again', sharingEntry, 0],
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
      [, entry, isNew]: (typeof files)[number],
    ): Promise<string[]> => {
      const before = engine.recorded.length;
      const { imported } = await importEntries(engine, bookId, {
        entries: () => Array.from({ length: count }, (_, n) => entry(n)),
        ...{ defaultAccount: 'Bank', dryRun: false, format: 'ofx' },
      });
      assert.equal(imported, count * isNew);
      return engine.recorded.slice(before).map(textOf);
    };

    it('are some for each block of entries with ids of a bank, and none for each entry', async () => {
      const [small, large] = [await newBook(engine), await newBook(engine)];
      for (const file of files) {
        const one = await statementsOf(small.id, blockSize, file);
        const more = await statementsOf(large.id, blockSize * (1 + blocks), file);
        const added = (more.length - one.length) / blocks;
        assert.ok(added <= mostForBlock, `${file[0]}: ${added} for each block`);
      }
    });

    it('look up ids in their index, whatever statistics an engine has', async () => {
      const { id } = await newBook(engine);
      for (const file of files) {
        const statements = await statementsOf(id, 20, file);
        const ofIds = statements.filter((text) => /\bt\.external_id\s*(IN|=|>)/.test(text));
        const isFound = /INDEXED BY transactions_by_external_id|CROSS JOIN LATERAL .* OFFSET 0\)/s;
        for (const text of ofIds) assert.match(text, isFound, file[0]);
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
