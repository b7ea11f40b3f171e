import assert from 'node:assert/strict';
import { it, test } from 'node:test';
import { positionAfter, readChanges, type FeedChange } from './feed/changes.ts';
import { connections, shownTables, tags } from '../db/tables/tables.ts';
import { recordingEngine } from '../db/testing/recording-engine.ts';
import { fillDemo } from '../demo/fill.ts';
import { makeDemoBook } from '../demo/book/make-demo-book.ts';
import { onEnginesAt } from '../http/testing/engine-book.ts';
import { pick } from '../http/testing/pick.ts';
import { presentValues, records } from './records.ts';

test('every table whose records are shown has a kind', () => {
  const shown = pick(records, 'table').filter(({ isInternal }) => !isInternal);
  assert.deepEqual(pick(shown, 'name').toSorted(), pick(shownTables, 'name').toSorted());
});

const now = () => Date.parse('2026-01-01T00:00:00.000Z');

onEnginesAt('present values', now, (open) => {
  it('are those of every record of a whole book, in few statements', async () => {
    const book = await open();
    const { engine, id: bookId } = book;
    await fillDemo(engine, bookId, makeDemoBook({ transactions: 700 }));
    const read = () => readChanges(bookId, positionAfter(0), 100_000);
    const { changes } = await engine.read(read);
    const recording = recordingEngine(engine);
    const values = await recording.read(() => presentValues(bookId, changes));
    const tables = new Set(changes.map(({ record }) => record));
    const ids = new Set(changes.map(({ record, id }) => `${record} ${id}`));
    assert.ok(recording.recorded.length <= 1 + tables.size + ids.size / 500);
    for (const table of shownTables) {
      const all = await book.rows(table);
      const own = new Map(changes.map((each, index) => [nameOf(each), values[index]] as const));
      for (const row of all) {
        const key = table.key.map((column) => (row as Record<string, unknown>)[column]);
        const value = own.get([table.name, ...key].join(' '));
        assert.equal(typeof value, 'string', `${table.name} ${key.join(' ')}`);
        assert.equal(typeof JSON.parse(value!), 'object');
      }
    }
  });

  it('are null for missing records and those of another book, and have no secrets', async () => {
    const [book, other] = [await open(), await open()];
    const ids = await other.change(function* (change) {
      const tag = yield* change.insert(tags, { name: 'a' });
      const connection = yield* change.insert(connections, {
        provider: 'simplefin',
        status: 'error',
        name: 'Bank',
        created_by_name: 'A',
        sealed_credentials: Buffer.from('secret'),
        problems: 'one\ntwo',
      });
      return { tags: tag.id, connections: connection.id };
    });
    const changes = Object.entries(ids).map(([record, id]) => ({ record, id, key: {} }));
    const read = ({ engine, id }: typeof book) => engine.read(() => presentValues(id, changes));
    assert.deepEqual(await read(book), [null, null]);
    const [, connection] = await read(other);
    assert.deepEqual(JSON.parse(connection!), {
      id: ids.connections,
      provider: 'simplefin',
      status: 'error',
      name: 'Bank',
      created_by_name: 'A',
      created_at: '2026-01-01T00:00:00.001Z',
      updated_at: '2026-01-01T00:00:00.001Z',
      last_read: null,
      problems: ['one', 'two'],
    });
  });
});

function nameOf({ record, id, key }: FeedChange): string {
  return [record, id, ...Object.values(key)].join(' ');
}

test('every kind that refers to a category or a tag has what happens when that one is removed', () => {
  for (const { table, refersTo } of records)
    for (const target of ['categories', 'tags'] as const) {
      const refers = Object.values(table.columns).some(
        ({ references, named }) => references === target || named?.tables.includes(target),
      );
      assert.equal(target in refersTo, refers, `${table.name} and ${target}`);
    }
});
