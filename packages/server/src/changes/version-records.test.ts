import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Engine } from '../db/engine.ts';
import { given } from '../db/table.ts';
import type { Values } from '../db/table.ts';
import { bookTables, transactions } from '../db/tables.ts';
import { engines } from '../db/testing/engines.ts';
import type { BookState } from './testing/book-state.ts';
import { changeArbitrary } from './testing/random-changes.ts';
import { UndoneBook } from './testing/undone-book.ts';
import { countsOf } from './version-counts.ts';
import type { RecordCount } from './version-counts.ts';
import { effectsOnRecord, recordsOfVersion } from './version-records.ts';
import type { Effect } from './version-records.ts';
import { runs } from '../../../core/src/testing/length.ts';

/** What happened to a record, by its table and key. */
type Shown = Readonly<Record<string, Pick<Effect, 'kind' | 'before' | 'after'>>>;

/** Returns the differences between two states, as a history shows them. */
function expectedOf(earlier: BookState, later: BookState): Shown {
  const shown: Record<string, Shown[string]> = {};
  for (const table of bookTables) {
    const [old, current] = [earlier.get(table.name)!, later.get(table.name)!];
    for (const key of new Set([...old.keys(), ...current.keys()])) {
      const [before = null, after = null] = [old.get(key), current.get(key)].map((row) =>
        row === undefined ? undefined : own(row),
      );
      const name = `${table.name} ${key}`;
      if (before === null || after === null)
        shown[name] = { kind: before === null ? 'made' : 'removed', before, after };
      else {
        const columns = Object.keys(after).filter((column) => before[column] !== after[column]);
        if (columns.length > 0)
          shown[name] = {
            kind: 'changed',
            before: only(columns, before),
            after: only(columns, after),
          };
      }
    }
  }
  return shown;
}

function only(columns: readonly string[], row: Values): Values {
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}

/** Counts effects by table and kind. */
function countsIn(effects: readonly Effect[]): RecordCount[] {
  const kinds = ['made', 'changed', 'removed'] as const;
  const all = bookTables.flatMap((table) =>
    kinds.map((kind) => ({
      ...{ record: table.name, kind },
      count: effects.filter((each) => each.table === table && each.kind === kind).length,
    })),
  );
  return all.filter(({ count }) => count > 0);
}

/** A row without what states do not compare. */
function own(row: Values): Values {
  const names = ['book_id', 'updated_at', 'sealed_credentials'];
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

function shownOf(effects: readonly Effect[]): Shown {
  return Object.fromEntries(
    effects
      .map(({ table, key, kind, before, after }) => {
        const rows = { before: before && own(before), after: after && own(after) };
        return [
          `${table.name} ${table.key.map((name) => key[name]).join(' ')}`,
          { kind, ...rows },
        ] as const;
      })
      // A record that is as it was before.
      .filter(([, { kind, after }]) => kind !== 'changed' || Object.keys(after ?? {}).length > 0),
  );
}

for (const { name, skip, open } of engines) {
  describe(`the records of a version on ${name}`, { skip }, () => {
    let engine: Engine;
    before(async () => {
      engine = await open(() => Date.parse('2026-01-01T00:00:00.000Z'));
    });

    const page = (book: UndoneBook, version: number, offset: number, limit: number) =>
      book.read(() => recordsOfVersion(book.id, version, { offset, limit, without: new Set() }));

    async function walk(book: UndoneBook, version: number, limit: number): Promise<Effect[]> {
      const all: Effect[] = [];
      for (;;) {
        const part = await page(book, version, all.length, limit);
        all.push(...part);
        if (part.length < limit) return all;
      }
    }

    it('are those that differ, before and after, whatever happened later', async () => {
      const changes = fc.array(changeArbitrary, { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(changes, fc.nat(3), async (changes, undone) => {
          const book = await UndoneBook.open(engine);
          const states = new Map([[await book.version(), await book.state()]]);
          for (const writes of changes) states.set(await book.perform(writes), await book.state());
          for (const version of [...states.keys()].slice(1).toReversed().slice(0, undone)) {
            await book.conflictsOf(version);
            states.set(await book.version(), await book.state());
          }
          const versions = [...states.keys()];
          const expected = new Map<number, Shown>();
          for (const [at, version] of versions.entries())
            if (at > 0)
              expected.set(
                version,
                expectedOf(states.get(versions[at - 1]!)!, states.get(version)!),
              );
          for (const [version, shown] of expected) {
            const walked = await walk(book, version, 2);
            assert.deepEqual(shownOf(walked), shown);
            assert.deepEqual(walked, await walk(book, version, 1000));
            const counts = await book.read(() => countsOf(book.id, [version]));
            assert.deepEqual(counts.get(version) ?? [], countsIn(walked));
          }
          await compareTransactions(book, expected);
        }),
        { numRuns: runs(name === 'SQLite' ? 60 : 10) },
      );
    });

    async function compareTransactions(
      book: UndoneBook,
      expected: ReadonlyMap<number, Shown>,
    ): Promise<void> {
      const keys = new Set([...expected.values()].flatMap((shown) => Object.keys(shown)));
      for (const key of keys) {
        const [record, id] = key.split(' ');
        if (record !== transactions.name) continue;
        const found = await book.read(() =>
          effectsOnRecord(book.id, transactions, Number(id), [...expected.keys()]),
        );
        for (const [version, shown] of expected) {
          const effect = found.get(version);
          const own = effect === undefined ? undefined : shownOf([effect])[key];
          assert.deepEqual(given({ own }), given({ own: shown[key] }));
        }
      }
    }
  });
}
