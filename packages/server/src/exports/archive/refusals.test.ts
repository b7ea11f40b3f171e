import { before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { Engine } from '../../db/engine.ts';
import { usualEngines } from '../../db/testing/engines.ts';
import { linesOf, packed, tarOf, unpacked } from './testing/archives.ts';
import type { TestFile, TestLine } from './testing/archives.ts';
import { archive, counts, imported, nowMs } from './testing/full-archive.ts';

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
      'an unknown category of a rule',
      () => withRow('rules', { conditions: '{"category_id":999}' }),
      /names categories "999"/,
    ],
    [
      'an unknown synced account of a rule',
      () => withRow('rules', { conditions: '{"plaid_account_id":999}' }),
      /names plaid_accounts "999"/,
    ],
    ...['0', '1.5', '"x"', 'null', '[999]', '1000000000000001'].map(
      (id) =>
        [
          `a deleted account of a rule with the id ${id}`,
          () => withRow('rules', { conditions: `{"manual_account_id":${id}}` }),
          /conditions .* names manual_accounts/,
        ] as const,
    ),
    [
      'an account of the actions of a rule',
      () => withRow('rules', { actions: '{"manual_account_id":999}' }),
      /actions .* names manual_accounts "999"/,
    ],
    [
      'an account of a transaction beyond all',
      () => withRow('transactions', { manual_account_id: 10 ** 15 + 1, plaid_account_id: null }),
      /invalid manual_account_id/,
    ],
    [
      'an unknown account of a balance',
      () => withRow('balance_history', { manual_account_id: 999 }),
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
      'an unknown account of an origin',
      () => withRow('import_origins', { manual_account_id: 999 }),
      /manual_account_id .* names manual_accounts "999"/,
    ],
    [
      'an origin twice',
      () =>
        withLines((all) => {
          const { table, row } = all.at(-1)!;
          const gone = { table, row: { ...row, transaction_id: 9e9 } };
          return [...all, gone, gone];
        }),
      /transaction_id .* names transactions "9000000000"/,
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
