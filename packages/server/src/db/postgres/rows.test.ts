import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { ClientBase } from 'pg';
import sql from 'sql-template-tag';
import { runs } from '../../../../core/src/testing/length.ts';
import { insertMany, joined, rows, run } from '../engine.ts';
import { newPostgresUrl, noPostgres, openSmallPostgres } from '../testing/engines.ts';
import { wireTypes, copyRows } from './connection.ts';
import type { PostgresEngine } from './postgres.ts';
import { RowBytes } from './row-bytes.ts';

const getParser = wireTypes.getTypeParser as (oid: number) => (text: string) => unknown;
const parse = (oid: number, text: string): unknown => getParser(oid)(text);

it('bytes are read in both output formats of a server', () => {
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const escaped = every
    .toString('latin1')
    .replaceAll(/[^ -~]/g, (each) => `\\${each.charCodeAt(0).toString(8).padStart(3, '0')}`)
    .replace('[\\]', '[\\\\]');
  assert.deepEqual(parse(17, `\\x${every.toString('hex')}`), every);
  assert.deepEqual(parse(17, escaped), every);
  assert.deepEqual(parse(17, '\\\\x00'), Buffer.from('\\x00'));
  assert.deepEqual(parse(17, ''), Buffer.alloc(0));
});

it('an integer that a number cannot represent is refused, not rounded', () => {
  assert.equal(parse(20, '-9007199254740991'), -(2 ** 53 - 1));
  assert.throws(() => parse(20, '9007199254740992'), /9007199254740992/);
});

const int16 = (value: number): Buffer => int32(value).subarray(2);
const int32 = (value: number): Buffer => Buffer.of(value >> 24, value >> 16, value >> 8, value);

const message = (type: string, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);

const dataRow = (...values: (Uint8Array | null)[]): Buffer => {
  const cells = values.map((value) =>
    value === null ? int32(-1) : Buffer.concat([int32(value.length), value]),
  );
  return message('D', Buffer.concat([int16(values.length), ...cells]));
};

/** One message of the server. `value` is that of a row to take; undefined for any other message. */
interface Sent {
  readonly bytes: Buffer;
  readonly value?: Uint8Array | null;
}

const value = fc.uint8Array({ maxLength: 300 });
const sent: fc.Arbitrary<Sent> = fc.oneof(
  fc.option(value).map((each) => ({ bytes: dataRow(each), value: each })),
  fc.tuple(value, value).map((values) => ({ bytes: dataRow(...values) })),
  fc
    .tuple(fc.constantFrom('1', '2', 'T', 'C', 'N', 'S', 'd'), value)
    .map(([type, body]) => ({ bytes: message(type, Buffer.from(body)) })),
);

function inPieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  let at = 0;
  const pieces = sizes.map((size) => bytes.subarray(at, (at += size)));
  return [...pieces, bytes.subarray(at)].filter(({ length }) => length > 0);
}

describe('rows taken as bytes', () => {
  const sizes = fc.array(fc.nat(40), { maxLength: 200 });

  it('are joined with commas, and all else is passed on unchanged, however the stream is split and overwritten', () => {
    const property = fc.property(fc.array(sent), sizes, (messages, cuts) => {
      const passed: Buffer[] = [];
      const rowBytes = new RowBytes((bytes) => passed.push(bytes));
      rowBytes.begin(',');
      const stream = Buffer.concat(messages.map(({ bytes }) => bytes));
      for (const piece of inPieces(stream, cuts)) {
        const read = Buffer.from(piece);
        rowBytes.read(read);
        read.fill(0);
      }
      const values = messages.flatMap(({ value: each }) => (each ? [each] : []));
      const joined = values.flatMap((each) => [Buffer.from(','), each]).slice(1);
      assert.deepEqual(rowBytes.end(), Buffer.concat(joined));
      const others = messages.filter((each) => each.value === undefined);
      assert.deepEqual(Buffer.concat(passed), Buffer.concat(others.map(({ bytes }) => bytes)));
    });
    fc.assert(property, { numRuns: runs(500) });
  });

  it('are passed to the driver while no rows are taken', () => {
    const passed: Buffer[] = [];
    const rowBytes = new RowBytes((bytes) => passed.push(Buffer.from(bytes)));
    const row = dataRow(Buffer.from('{}'));
    rowBytes.read(row);
    rowBytes.begin(',');
    rowBytes.read(row);
    assert.equal(rowBytes.end().toString(), '{}');
    rowBytes.read(row);
    assert.deepEqual(Buffer.concat(passed), Buffer.concat([row, row]));
  });

  it('of two statements are two buffers, and the first changes only if it is spare', () => {
    const rowBytes = new RowBytes(() => assert.fail('nothing is passed on'));
    const take = (text: string, spare?: Buffer): Buffer => {
      rowBytes.begin(',', spare);
      rowBytes.read(dataRow(Buffer.from(text)));
      return rowBytes.end();
    };
    const first = take('a'.repeat(100_000));
    const second = take('b'.repeat(90_000));
    assert.deepEqual([first.toString(), second.length], ['a'.repeat(100_000), 90_000]);
    const third = take('c'.repeat(95_000), second);
    assert.equal(third.buffer, second.buffer);
    assert.deepEqual([third.toString(), first[0]], ['c'.repeat(95_000), 97]);
    assert.equal(take('d'.repeat(300_000), third).toString(), 'd'.repeat(300_000));
  });

  it('one by one begin at multiples of 8 bytes of one buffer, which may be the last one', () => {
    const rowBytes = new RowBytes(() => assert.fail('nothing is passed on'));
    const take = (texts: readonly string[], spare?: Buffer): Buffer[] => {
      rowBytes.beginEach(spare);
      for (const text of texts) rowBytes.read(dataRow(Buffer.from(text)));
      return rowBytes.endEach();
    };
    const first = take(['abc', '', 'defghijkl', 'm']);
    assert.deepEqual(first.map(String), ['abc', '', 'defghijkl', 'm']);
    assert.deepEqual(
      first.map(({ byteOffset }) => byteOffset),
      [0, 8, 8, 24],
    );
    const second = take(['n'], first[0]);
    assert.deepEqual([String(second[0]), String(first[0])], ['n', 'nbc']);
    assert.deepEqual(take([]), []);
  });
});

const columns = ['id', 'text', 'bytes'];
const texts = [
  'plain',
  '',
  '\\N',
  '\\.',
  'tab\there',
  'line\nend\r',
  'back\\slash\\t',
  '"quoted", too',
  '本屋 🏦',
  '\b\f\v\u0001',
];
const duplicate = { name: 'DatabaseError', kind: 'refused', message: /duplicate key/ };

describe('many rows at once', { skip: noPostgres }, () => {
  let engine: PostgresEngine;
  before(async () => {
    const options = { poolSize: 1, statementTimeoutMs: 30_000 };
    engine = openSmallPostgres(await newPostgresUrl('empty'), options);
    await engine.write(() =>
      run(sql`CREATE TABLE kept (id BIGINT PRIMARY KEY, text TEXT, bytes BYTEA)`),
    );
  });

  const kept = (): Promise<unknown> =>
    engine.read(() => rows(sql`SELECT id, text, bytes FROM kept ORDER BY id`));

  it('are stored unchanged, but for a lone surrogate, which becomes the replacement character', async () => {
    const values = [...texts, null].map((text, id) => [id, text, Buffer.from(text ?? 'null')]);
    const half = [100, 'half \ud83c', null];
    await engine.write(() => insertMany('kept', columns, [...values, half]));
    const expected = values.map(([id, text, bytes]) => ({ id, text, bytes }));
    assert.deepEqual(await kept(), [...expected, { id: 100, text: 'half \ufffd', bytes: null }]);
  });

  it('that are invalid, also those sent before, make the write fail, and the connection still works', async () => {
    const before = await kept();
    const twice = engine.write(function* () {
      yield* insertMany('kept', columns, [[200, 'first', null]]);
      yield* insertMany('kept', columns, [[200, 'again', null]]);
    });
    await assert.rejects(twice, duplicate);
    const unknown = engine.write(() => insertMany('nowhere', columns, [[1, 'x', null]]));
    await assert.rejects(unknown, { code: '42P01' });
    const nul = engine.write(() => insertMany('kept', columns, [[200, 'a\0b', null]]));
    await assert.rejects(nul, { kind: 'refused', message: /invalid byte sequence/ });
    const text = 'x'.repeat(100_000);
    const many = Array.from({ length: 200 }, (_, index) => [200 + (index % 199), text, null]);
    const large = engine.write(() => insertMany('kept', columns, [[0, 'again', null], ...many]));
    await assert.rejects(large, duplicate);
    assert.deepEqual(await kept(), before);
  });

  it('that are being sent when the connection is lost make the write fail, and the next write works', async () => {
    await engine.write(function* () {
      yield* run(sql`CREATE TABLE ended (id BIGINT)`);
      yield* run(sql`CREATE FUNCTION end_it() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$`);
      yield* run(sql`CREATE TRIGGER ends BEFORE INSERT ON ended
        FOR EACH ROW EXECUTE FUNCTION end_it()`);
    });
    const ids = Array.from({ length: 300_000 }, (_, id) => [id]);
    const ended = engine.write(() => insertMany('ended', ['id'], ids));
    await assert.rejects(ended, { name: 'DatabaseError', kind: 'unavailable' });
    await engine.write(() => insertMany('kept', columns, [[400, 'works', null]]));
    const found = engine.read(() => rows(sql`SELECT text FROM kept WHERE id = 400`));
    assert.deepEqual(await found, [{ text: 'works' }]);
  });

  it('have left this process, with their end, when their step is done', async () => {
    const written: Buffer[] = [];
    const stream = new Writable({
      write(piece: Buffer, _encoding, done) {
        written.push(piece);
        done();
      },
    });
    const client = {
      query(copying: { submit(connection: object): void; handleCopyInResponse(): void }) {
        const query = (): unknown => setImmediate(() => copying.handleCopyInResponse());
        copying.submit({ stream, query });
        return copying;
      },
    };
    const values = Array.from({ length: 1000 }, (_, id) => [id, 'text', null]);
    const insert = { insertInto: 'kept', columns, rows: values };
    // The server never says that it has inserted them.
    await copyRows(client as unknown as ClientBase, insert).sent;
    assert.match(Buffer.concat(written).toString('latin1'), /\n999\ttext\t\\N\nc\0\0\0\x04$/);
  });

  it('that a migration sends last make the migration fail', async () => {
    const migration = engine.migrate(1000, async (connection) => {
      const [step] = insertMany('kept', columns, [[0, 'there already', null]]);
      await connection.perform(step!);
    });
    await assert.rejects(migration, duplicate);
  });

  it('that cannot be joined make the read fail, and the connection still works', async () => {
    const failing = engine.read(() =>
      joined(sql`SELECT (1 / (id - 1))::text AS json FROM kept WHERE id < 2 ORDER BY id`),
    );
    await assert.rejects(failing, { code: '22012' });
    assert.deepEqual(await engine.read(() => rows(sql`SELECT 'ok' AS text`)), [{ text: 'ok' }]);
  });
});
