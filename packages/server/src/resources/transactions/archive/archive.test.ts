import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import sql, { raw } from 'sql-template-tag';
import { changing } from '../../../changes/changing.ts';
import { row, rows, run } from '../../../db/engine.ts';
import type { Engine } from '../../../db/engine.ts';
import { select } from '../../../db/rows.ts';
import { bookTables, tags, transactionFiles, transactions } from '../../../db/tables.ts';
import { engines, usualEngines } from '../../../db/testing/engines.ts';
import { newFolder } from '../../../db/testing/folder.ts';
import { makeFullDatabase } from '../../../db/testing/full-database.ts';
import { makeDemoBook } from '../../../demo/make-demo-book.ts';
import { newKey } from '../../../files/store.ts';
import { checkDatabase } from '../../../maintenance/doctor.ts';
import { openSqliteDatabase } from '../../../maintenance/open-sqlite.ts';
import { everyTable } from '../../../maintenance/tables.ts';
import {
  booksOf,
  createUser,
  findBooks,
  hasNoUser,
  removeAbandonedBooks,
} from '../../users/actions.ts';
import { findUser, listUsers } from '../../users/admin.ts';
import { exportBook } from '../export/export.ts';
import { csvRows } from '../export/csv-rows.ts';
import { importBook } from './import-book.ts';
import type { ImportTarget } from './import-book.ts';
import { linesOf, memoryStore, packed, tarOf, unpacked, written } from './testing/archives.ts';
import type { TestFile, TestLine } from './testing/archives.ts';
import { archiveBook } from './write-archive.ts';

type Store = ReturnType<typeof memoryStore>;
const nowMs = Date.parse('2026-11-26T12:00:00.000Z');
const png = Buffer.from('\x89PNG and more', 'latin1');

async function archived(engine: Engine, files: Store, id: number, asOf?: string): Promise<Buffer> {
  const { pieces } = await archiveBook(engine, id, { files, asOf });
  return Buffer.concat(await Array.fromAsync(pieces));
}

/** Opens a SQLite database with a row in every table, whose files have contents. */
async function openFull(): Promise<{ engine: Engine; files: Store }> {
  const path = join(newFolder(), 'full.db');
  await makeFullDatabase(path, makeDemoBook({ transactions: 300 }));
  const wait = { busyTimeoutMs: 0, openTimeoutMs: 0 };
  const engine = openSqliteDatabase(path, { occupation: 'command', ...wait });
  const files = memoryStore();
  await engine.write(function* () {
    for (const { id, book_id } of yield* select(transactionFiles, {})) {
      const key = newKey(book_id);
      files.kept.set(key, Buffer.concat([png, Buffer.from(String(id))]));
      yield* run(sql`UPDATE transaction_files SET storage_key = ${key} WHERE id = ${id}`);
    }
  });
  return { engine, files };
}

const full = await openFull();
const archive = await archived(full.engine, full.files, 1);

/** How many rows each table has. */
async function counts(engine: Engine): Promise<Record<string, number>> {
  return engine.read(function* () {
    const all: Record<string, number> = {};
    for (const { name } of everyTable)
      all[name] = (yield* row<{ n: number }>(sql`SELECT count(*) AS n FROM ${raw(name)}`))!.n;
    return all;
  });
}

const imported = (engine: Engine, bytes: Uint8Array, more: Partial<ImportTarget> = {}) =>
  importBook(written(bytes), { engine, files: memoryStore(), userId: null, ...more });

const makeUser = async (engine: Engine, email = 'me@example.com') =>
  engine.write(() => createUser({ email, name: 'Me', bookName: 'Mine', primaryCurrency: 'usd' }));

/** Which table the id of a column is of; kept here again, apart from the descriptions. */
const tableOf: Readonly<Record<string, string>> = {
  ...{ category_id: 'categories', own_category_id: 'categories', group_id: 'categories' },
  ...{ override_category_id: 'categories', recurring_id: 'recurring_items', import_id: 'imports' },
  ...{ manual_account_id: 'manual_accounts', plaid_account_id: 'plaid_accounts' },
  ...{ split_parent_id: 'transactions', group_parent_id: 'transactions' },
  ...{ transaction_id: 'transactions', account_id: 'crypto_synced_accounts' },
  ...{ crypto_manual_id: 'crypto_manual_accounts', crypto_synced_id: 'crypto_synced_accounts' },
  ...{ deleted_account_id: 'deleted_accounts', connection_id: 'connections' },
};

/** Returns records with the place of each record in its table instead of its id, in a fixed order. */
function withoutIds(lines: readonly TestLine[], userId: number): string[] {
  const places = new Map<string, number>();
  const inTable = Map.groupBy(lines, ({ table }) => table);
  for (const [table, all] of inTable) {
    // New ids follow the order of groups, then categories.
    const nameOf = ({ row }: TestLine): string => String(row['name']);
    const sorted =
      table === 'categories' ? all.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) : all;
    for (const [place, each] of sorted.entries())
      places.set(`${table} ${String(each.row['id'])}`, place);
  }
  const placeOf = (table: string, id: unknown): unknown => places.get(`${table} ${String(id)}`);
  const relabelled = (table: string, value: object): unknown =>
    JSON.parse(JSON.stringify(value), (name, each: unknown) => {
      if (name === 'tag_ids' && Array.isArray(each)) return each.map((id) => placeOf('tags', id));
      if (['tag_ids', 'conditions', 'actions'].includes(name) && typeof each === 'string')
        return relabelled('', { [name]: JSON.parse(each) as unknown });
      if (name in tableOf && each !== null)
        return `${tableOf[name]} ${String(placeOf(tableOf[name]!, each))}`;
      if (['created_by', 'uploaded_by'].includes(name)) return each === userId ? 'the owner' : each;
      return name === 'id' ? placeOf(table, each) : each;
    });
  return lines.map(({ table, row }) => JSON.stringify([table, relabelled(table, row)])).toSorted();
}

async function csvWithoutIds(engine: Engine, bookId: number): Promise<string[]> {
  const lines = await Array.fromAsync(csvRows(await exportBook(engine, bookId)));
  return lines.map((line) => line.replace(/^\d+,/, '')).toSorted();
}

describe('an archive of a book', () => {
  it('has the records of every table, without secrets and what only one server knows', () => {
    const lines = linesOf(unpacked(archive));
    const found = new Set(lines.map(({ table }) => table));
    const wanted = bookTables.map(({ name }) => name).filter((name) => name !== 'account_numbers');
    assert.deepEqual(
      [...wanted, 'imports', 'import_settings', 'recorded_months'].filter(
        (name) => !found.has(name),
      ),
      [],
    );
    const text = JSON.stringify(lines);
    for (const secret of ['sealed_credentials', 'storage_key', 'book_id', '"actor"'])
      assert.ok(!text.includes(secret), secret);
  });

  for (const { name, skip, open } of engines)
    describe(`imported to ${name}`, { skip }, () => {
      it('without users has all ids, and gives the same archive', async () => {
        const engine = await open(() => nowMs);
        const files = memoryStore();
        const book = await imported(engine, archive, { files });
        assert.deepEqual([book.id, book.hasSameIds, book.files], [1, true, 1]);
        assert.deepEqual(await archived(engine, files, 1), archive);
        assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
        const present = await counts(engine);
        assert.deepEqual([present['users'], present['books'], present['changes']], [1, 1, 0]);
        // What is made next gets an id of its own, and the history begins.
        const cause = { bookId: 1, actor: 'test', operation: 'test' };
        await engine.write(() =>
          changing(cause, function* (change) {
            yield* change.insert(tags, { name: 'after the import' });
          }),
        );
        await makeUser(engine);
        assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
        // Times are later than the version that was carried, which is the oldest state.
        assert.deepEqual(await archived(engine, files, 1, '9'), archive);
      });

      it('beside other books is the same but for ids, again and again', async () => {
        const engine = await open(() => nowMs);
        const files = memoryStore();
        const { id, userId } = await makeUser(engine);
        const before = await archived(engine, files, id);
        const copies: number[] = [];
        for (const copy of ['one', 'two']) {
          const book = await imported(engine, archive, { files, userId, name: copy });
          assert.deepEqual([book.hasSameIds, book.userId, book.name], [false, userId, copy]);
          copies.push(book.id);
        }
        for (const copy of copies) {
          const again = unpacked(await archived(engine, files, copy));
          assert.deepEqual(
            withoutIds(linesOf(again), userId),
            withoutIds(linesOf(unpacked(archive)), 1),
          );
          assert.deepEqual(await csvWithoutIds(engine, copy), await csvWithoutIds(full.engine, 1));
        }
        assert.deepEqual(await archived(engine, files, id), before);
        assert.deepEqual(await checkDatabase(engine, { repair: false }), []);
        assert.equal(files.kept.size, 2);
      });

      it('is seen by nobody before it is whole', async () => {
        const engine = await open(() => nowMs);
        let looks = 0;
        const seen: Promise<unknown>[] = [];
        const look = (): void => {
          looks += 1;
          seen.push(
            engine.read(function* () {
              const [owner] = yield* rows<{ id: number }>(sql`SELECT id FROM users`);
              return [
                yield* listUsers(),
                yield* findUser('ada@Example.com'),
                yield* findBooks('ada@Example.com'),
                yield* booksOf(owner!.id),
                yield* hasNoUser(),
              ];
            }),
          );
        };
        await imported(engine, archive, { onProgress: look });
        assert.ok(looks > 10);
        // The last look may come after the end.
        for (const all of (await Promise.all(seen)).slice(0, -1))
          assert.deepEqual(all, [[], null, [], [], true]);
        const [owner] = await engine.read(listUsers);
        assert.deepEqual([owner?.email, owner?.books], ['ada@Example.com', 1]);
      });

      it('leaves nothing when it fails, is stopped or is killed, and the next import removes the rest', async () => {
        const clock = { ms: nowMs };
        const engine = await open(() => clock.ms);
        const { userId } = await makeUser(engine);
        const before = await counts(engine);
        const files = memoryStore();
        const failing = { ...files, write: () => Promise.reject(new Error('the disk is full')) };
        await assert.rejects(imported(engine, archive, { userId, files: failing }), /disk is full/);
        assert.deepEqual(await counts(engine), before);
        const stop = new AbortController();
        const onProgress = (done: number): void => {
          if (done > 300) stop.abort(new Error('stopped'));
        };
        const { signal } = stop;
        await assert.rejects(
          imported(engine, archive, { userId, files, onProgress, signal }),
          /stopped/,
        );
        assert.deepEqual([await counts(engine), files.kept.size], [before, 0]);
        for (const writes of [4, 9, 20]) {
          await removeAbandonedBooks(engine);
          assert.deepEqual(await counts(engine), before);
          await assert.rejects(imported(dyingAfter(engine, writes), archive, { userId }), /killed/);
          const left = await counts(engine);
          assert.equal(left['books'], before['books']! + 1);
          assert.equal((await engine.read(() => booksOf(userId))).length, 1);
          clock.ms += 601_000;
        }
        await assert.rejects(imported(engine, archive, { userId, name: 'mine' }), {
          message:
            'The user already has a book "Mine". Give the imported one another name with --name',
        });
        assert.deepEqual(await counts(engine), before);
      });
    });

  it('that created its user leaves no user', async () => {
    const clock = { ms: nowMs };
    const engine = await usualEngines[0]!.open(() => clock.ms);
    const before = await counts(engine);
    await assert.rejects(imported(dyingAfter(engine, 5), archive), /killed/);
    assert.equal((await counts(engine))['users'], 1);
    await assert.rejects(imported(engine, archive), /Another book is being imported/);
    clock.ms += 601_000;
    await assert.rejects(imported(engine, Buffer.from('{"type":"book"}')), /no archive/);
    const { id, hasSameIds } = await imported(engine, archive, { email: 'new@example.com' });
    assert.deepEqual([id, hasSameIds], [1, true]);
    assert.equal((await counts(engine))['books'], before['books']! + 1);
    assert.equal((await engine.read(listUsers))[0]?.email, 'new@example.com');
  });

  it('is of one version, whatever is changed while it is read', async () => {
    const { engine, files } = await openFull();
    const before = await archived(engine, files, 1);
    let turn = 0;
    const read: Engine['read'] = async (steps, options) => {
      const result = await engine.read(steps, options);
      turn += 1;
      await engine.write(() =>
        changing({ bookId: 1, actor: 'test', operation: 'test' }, function* (change) {
          const all = yield* select(transactions, { book_id: 1 });
          yield* change.update(transactions, all[turn % all.length]!, { payee: `New ${turn}` });
          yield* change.update(transactions, all.at(-turn)!, { notes: 'Changed' });
          yield* change.insert(tags, { name: `New ${turn}` });
          const [file] = yield* select(transactionFiles, { book_id: 1 });
          if (file !== undefined) yield* change.remove(transactionFiles, file);
        }),
      );
      return result;
    };
    const changed = withOwn(engine, { read });
    assert.deepEqual(await archived(changed, files, 1), before);
    assert.ok(turn > 15);
    assert.deepEqual(await archived(engine, files, 1, '9'), before);
  });

  it('says which files have no content, and is imported without them', async () => {
    const { engine, files } = await openFull();
    files.kept.clear();
    const missing: unknown[] = [];
    const { pieces } = await archiveBook(engine, 1, {
      files,
      onMissing: (...file) => missing.push(file),
    });
    const bytes = Buffer.concat(await Array.fromAsync(pieces));
    assert.deepEqual(missing, [[1, 'r.pdf']]);
    const target = await usualEngines[0]!.open(() => nowMs);
    const { notCarried, files: count } = await imported(target, bytes);
    assert.equal(count, 0);
    assert.ok(notCarried.some(({ what }) => what === 'the content of 1 attached file'));
    assert.deepEqual(await archived(target, memoryStore(), 1), bytes);
  });
});

/** Returns an engine whose writes fail after a number of them, like those of a process that was killed. */
function dyingAfter(engine: Engine, writes: number): Engine {
  let left = writes;
  const write: Engine['write'] = (steps, options) => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('killed')) : engine.write(steps, options);
  };
  return withOwn(engine, { write });
}

/** Returns an engine with other methods. */
function withOwn(engine: Engine, own: Partial<Engine>): Engine {
  return new Proxy(engine, {
    get(target, name: keyof Engine): unknown {
      if (name in own) return own[name];
      const value = Reflect.get(target, name) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Returns an archive with other records. */
function withLines(change: (lines: TestLine[]) => TestLine[]): Buffer {
  const all = unpacked(archive);
  const lines = change(linesOf(all));
  const records = Object.fromEntries(
    [...Map.groupBy(lines, ({ table }) => table)].map(([table, each]) => [table, each.length]),
  );
  return packed([
    ...all.filter(({ name }) => name === 'book.json'),
    file('records/000001.ndjson', lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    file('end.json', JSON.stringify({ records, files: 0 })),
  ]);
}

/** Returns an archive with another record in the place of the first of a table. */
function withRow(table: string, values: Readonly<Record<string, unknown>>): Buffer {
  return withLines((lines) => {
    const at = lines.findIndex((line) => line.table === table);
    const row = { ...lines[at]!.row, ...values };
    return lines.with(at, { table, row });
  });
}

const file = (name: string, content: string): TestFile => ({ name, content: Buffer.from(content) });
const manifest = (values: object): Buffer => {
  const [first, ...rest] = unpacked(archive);
  const all = JSON.parse(first!.content.toString()) as { book: object };
  return packed([file('book.json', JSON.stringify({ ...all, ...values })), ...rest]);
};
const ofBook = (values: object): Buffer => {
  const all = JSON.parse(unpacked(archive)[0]!.content.toString()) as { book: object };
  return manifest({ book: { ...all.book, ...values } });
};
const withFile = (...more: TestFile[]): Buffer => {
  const all = unpacked(archive);
  const { records, files } = JSON.parse(all.at(-1)!.content.toString()) as Record<string, number>;
  const end = JSON.stringify({ records, files: files! + more.length });
  return packed([...all.slice(0, -1), ...more, file('end.json', end)]);
};

describe('a file that is no whole archive of a book', () => {
  let engine: Engine;
  before(async () => {
    engine = await usualEngines[0]!.open(() => nowMs);
  });

  const zeros = Buffer.alloc(120 * 2 ** 20);
  const half = archive.subarray(0, Math.floor(archive.length / 2));
  const flipped = Buffer.from(archive);
  flipped[flipped.length - 5] = flipped.at(-5)! ^ 1;
  const cases: readonly (readonly [name: string, bytes: () => Buffer, message: RegExp])[] = [
    ['an empty file', () => Buffer.alloc(0), /ends too early/],
    ['CSV', () => Buffer.from('id,date\n1,2'), /no archive of a book.*--format archive/],
    ['NDJSON', () => Buffer.from('{"type":"book"}\n'), /no archive of a book/],
    ['half an archive', () => half, /ends too early: it is not whole/],
    ['a wrong checksum', () => flipped, /no archive of a book, or it is damaged/],
    ['no end', () => packed(unpacked(archive).slice(0, -1)), /has no end\.json/],
    [
      'no records',
      () => packed(unpacked(archive).filter(({ name }) => !name.startsWith('r'))),
      /has 0 records of "connections", but end\.json says "1"/,
    ],
    [
      'files after the end',
      () => packed([...unpacked(archive), file('files/1', 'x')]),
      /after the end/,
    ],
    [
      'bytes after the end',
      () => gzipped(tarOf(unpacked(archive)), Buffer.from('x')),
      /after the end/,
    ],
    [
      'another first file',
      () => packed(unpacked(archive).slice(1)),
      /begins with "records\/000001/,
    ],
    ['a zip bomb', () => gzipped(zeros), /expands to more than 300 times its length/],
    [
      'a bomb of a file',
      () => withFile({ name: 'files/9', content: zeros }),
      /"files\/9" has 125829120 bytes, more/,
    ],
    [
      'a bomb after the end',
      () => gzipped(tarOf(unpacked(archive)), zeros),
      /expands to more than 300 times/,
    ],
    [
      'a path',
      () => withFile(file('../../etc/passwd', 'x')),
      /"\.\.\/\.\.\/etc\/passwd" is not a name/,
    ],
    ['an absolute path', () => withFile(file('/etc/passwd', 'x')), /"\/etc\/passwd" is not a name/],
    ['an unknown file', () => withFile(file('notes.txt', 'x')), /unknown file "notes.txt"/],
    [
      'a wrong number',
      () => withFile(file('records/000099.ndjson', '')),
      /unknown file "records\/000099/,
    ],
    [
      'a file without a record',
      () => withFile(file('files/77', 'x')),
      /attached file 77 has no record/,
    ],
    [
      'two files of a record',
      () => withFile(file('files/77', 'x'), file('files/78', 'x')),
      /file 77 has no rec/,
    ],
    [
      'a newer format',
      () => manifest({ format: 2 }),
      /has format 2, but .* up to 1: use a newer version/,
    ],
    [
      'a newer schema',
      () => manifest({ schema: 999 }),
      /has schema 999, but this program reads up to \d+/,
    ],
    ['no format', () => manifest({ format: null }), /invalid format "null"/],
    ['another type', () => manifest({ type: 'x' }), /not of a book/],
    ['an unknown currency', () => ofBook({ primary_currency: 'xxx' }), /unknown currency "xxx"/],
    [
      'a book without an id',
      () => ofBook({ id: 0 }),
      /invalid the id of the book|id of the book: "0"/,
    ],
    ['an id beyond all', () => ofBook({ id: 2 ** 52 }), /id of the book: "4503599627370496"/],
    ['a name that is no text', () => ofBook({ name: 'a\0' }), /invalid name of the book/],
    [
      'an unknown kind',
      () => withLines((all) => [{ table: 'users', row: {} }, ...all]),
      /line 1: unknown kind of record "users"/,
    ],
    [
      'a kind of JavaScript',
      () => withLines((all) => [{ table: '__proto__', row: {} }, ...all]),
      /unknown kind of record "__proto__"/,
    ],
    ['a wrong order', () => withLines(([first, ...all]) => [...all, first!]), /comes too late/],
    ['an unknown column', () => withRow('tags', { sql: 'x' }), /tags: unknown column "sql"/],
    [
      'a secret',
      () => withRow('connections', { sealed_credentials: 'x' }),
      /unknown column "sealed_cre/,
    ],
    ['another book', () => withRow('tags', { book_id: 2 }), /unknown column "book_id"/],
    ['a missing column', () => withRow('tags', { name: undefined }), /tags: invalid name: nothing/],
    ['a number as text', () => withRow('transactions', { amount: '12' }), /invalid amount: "12"/],
    ['a float', () => withRow('transactions', { amount: 1.5 }), /invalid amount: "1.5"/],
    [
      'a date that is none',
      () => withRow('transactions', { date: '2026-02-30' }),
      /invalid date: "2026-02-30"/,
    ],
    [
      'a word that is none',
      () => withRow('recurring_items', { granularity: 'moon' }),
      /invalid granularity: "moon"/,
    ],
    [
      'broken rules',
      () => withRow('rules', { conditions: '{' }),
      /rules: invalid conditions: "\{"/,
    ],
    ['tags that are none', () => withRow('transactions', { tag_ids: '["a"]' }), /invalid tag_ids/],
    [
      'an unknown tag',
      () => withRow('transactions', { tag_ids: '[999]' }),
      /tag_ids .* names tags "999", which/,
    ],
    [
      'an unknown category',
      () => withRow('transactions', { category_id: 999 }),
      /category_id .* names categories "999"/,
    ],
    [
      'an unknown parent',
      () => withRow('transactions', { split_parent_id: 9e9 }),
      /names transactions "9000000000"/,
    ],
    [
      'an unknown group',
      () => withRow('categories', { group_id: 999 }),
      /group_id .* names categories "999"/,
    ],
    [
      'an unknown account of a rule',
      () => withRow('rules', { conditions: '{"manual_account_id":999}' }),
      /names manual_accounts "999"/,
    ],
    [
      'an unknown category of a part',
      () => withRow('rules', { actions: '{"split":[{"category_id":999}]}' }),
      /names categories "999"/,
    ],
    [
      'parts that are none',
      () => withRow('rules', { actions: '{"split":5}' }),
      /invalid actions of rules/,
    ],
    [
      'two accounts',
      () => withRow('transactions', { manual_account_id: 1, plaid_account_id: 1 }),
      /has manual_account_id and plaid/,
    ],
    [
      'the same id twice',
      () =>
        withLines((all) => all.flatMap((line) => (line.table === 'tags' ? [line, line] : [line]))),
      /id \d+ of tags is not above/,
    ],
    [
      'the same name twice',
      () =>
        withLines((all) =>
          all.map((line) =>
            line.table === 'tags' ? { ...line, row: { ...line.row, name: 'a' } } : line,
          ),
        ),
      /another record of tags has the name "a"/,
    ],
    [
      'a line that does not end',
      () => packed([unpacked(archive)[0]!, file('records/000001.ndjson', '{}')]),
      /line 1: the line does not end/,
    ],
    [
      'a line that is no JSON',
      () => packed([unpacked(archive)[0]!, file('records/000001.ndjson', 'x\n')]),
      /line 1: it is not a JSON object/,
    ],
  ];
  for (const [name, bytes, message] of cases)
    it(`is refused, and nothing is changed: ${name}`, async () => {
      const none = await counts(engine);
      await assert.rejects(imported(engine, bytes()), { name: 'ArchiveError', message });
      assert.deepEqual(await counts(engine), none);
    });
});

function gzipped(...parts: readonly Buffer[]): Buffer {
  return gzipSync(Buffer.concat(parts));
}
