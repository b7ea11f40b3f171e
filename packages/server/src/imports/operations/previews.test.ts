import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { STATEMENT_FORMATS } from '@coffer/statements/src/statement/statement.ts';
import { select } from '../../db/rows.ts';
import { books, importPreviewBlocks, importPreviewRows, imports } from '../../db/tables/tables.ts';
import { as, listen, makeTestApp } from '../../http/testing/test-app.ts';
import { formats, type ImportPreviewRows } from './preview-schema.ts';
import { previewClient, type Refusal, type Sent } from './testing/preview-client.ts';
import type { ImportList, ImportRecord } from './schema.ts';

const made = await makeTestApp();
const { bookId, send, upload, commit, importedBy } = previewClient(made);
const rowsOf = async (id: number, query = '') =>
  (await send<ImportPreviewRows>('GET', `/${id}/rows${query}`)).body;
const paths = [
  ['GET', ''],
  ['GET', '/rows'],
  ['DELETE', ''],
  ['POST', '/commit'],
] as const;
const messages = ({ errors }: Refusal) => errors.map(({ errMsg }) => String(errMsg));
const csv = (rows: readonly string[]) => `Date,Payee,Amount\n${rows.join('\n')}\n`;
const day = (n: number) => `2024-05-${String(n).padStart(2, '0')}`;
const month = (name: string) =>
  csv(Array.from({ length: 20 }, (_, n) => `${day(n + 1)},${name} ${n},-${n + 1}.50`));
const version = async () =>
  (await made.engine.read(() => select(books, { id: bookId })))[0]!.version;
const leftovers = () =>
  made.engine.read(function* () {
    const all = [importPreviewBlocks, importPreviewRows, imports];
    let count = 0;
    for (const table of all) count += (yield* select(table, {})).length;
    return count;
  });

test('the formats are those of the readers', () => {
  assert.deepEqual([...formats].toSorted(), [...STATEMENT_FORMATS].toSorted());
});

test('a preview shows what an import would do, changes nothing, and is imported as shown', async () => {
  const before = await version();
  const { status, body } = await upload(month('Shop'), '?account=Giro&file_name=may.csv');
  assert.equal(status, 201);
  assert.deepEqual(
    [body.status, body.file_name, body.format, body.imported, body.accounts_created],
    ['ready', 'may.csv', 'csv', 20, 1],
  );
  assert.deepEqual(body.options, { account: 'Giro' });
  assert.deepEqual(body.mapping?.columns[1], {
    number: 2,
    name: 'Payee',
    sample: 'Shop 0',
    keys: ['payee'],
  });
  assert.deepEqual(body.sums, [{ currency: 'eur', amount: '-220.0000' }]);
  const giro = { name: 'Giro', id: null, rows: 20, sums: body.sums, balance: null };
  assert.deepEqual(body.accounts, [giro]);
  assert.match(body.warnings[0]!.text, /use currency if/);
  assert.equal(await version(), before);
  const { body: shown } = await send<ImportRecord>('GET', `/${body.id}`);
  assert.deepEqual([shown.status, shown.preview], ['preview', body]);
  const { body: list } = await send<ImportList>('GET', '');
  assert.deepEqual(list.imports, []);
  const { body: open } = await send<ImportList>('GET', '?is_preview=true');
  assert.deepEqual(open.imports, [{ ...shown, preview: null }]);
  const { body: others } = await send<ImportList>('GET', '?is_preview=true', { as: made.ben });
  assert.deepEqual(others.imports, []);
  const { status: done, body: record } = await commit(body.id);
  assert.equal(done, 200, JSON.stringify(record));
  assert.deepEqual(
    [record.id, record.imported, record.file_name, record.file_sha256, record.preview],
    [body.id, 20, 'may.csv', body.file_sha256, null],
  );
  assert.deepEqual([record.created_by, record.version], ['token 1', before + 1]);
  assert.deepEqual((await send('GET', `/${body.id}`)).body, record);
  assert.equal((await send('GET', `/${body.id}/rows`)).status, 404);
  assert.deepEqual((await send<ImportList>('GET', '')).body.imports, [record]);
  assert.deepEqual((await send<ImportList>('GET', '?is_preview=true')).body.imports, []);
  const again = await commit<Refusal>(body.id);
  assert.deepEqual(
    [again.status, messages(again.body)],
    [409, [`Import ${body.id} has happened already`]],
  );
  assert.equal(await leftovers(), 1);
  const made2 = await importedBy(body.id);
  assert.equal(made2.length, 20);
  const undone = await send('POST', `/${body.id}/undo`, {});
  assert.equal(undone.status, 200);
  await send('POST', `/${body.id}/redo`, {});
});

test('rows are in pages, all or by verdict, with the transactions that they are', async () => {
  const more = `${month('Shop')}2024-05-21,New,-1\n2024-05-40,Bad,-1\n2024-05-22,New,-2\n`;
  const options = '?account=Giro&skip_bad_rows=true';
  const { body } = await upload(more, options);
  assert.deepEqual(body.verdicts, { new: 2, known: 20, replaces: 0, doubtful: 0, bad: 1 });
  assert.deepEqual([body.has_more, body.rows.length, body.bad_rows.count], [false, 23, 1]);
  const numbers = body.rows.map(({ number }) => number);
  assert.deepEqual(numbers.slice(19), [20, 21, null, 22]);
  assert.match(body.rows[21]!.why!, /^Line 23, column "Date", value "2024-05-40": /);
  for (const row of body.rows.slice(0, 20)) {
    assert.deepEqual([row.verdict, row.is_imported], ['known', false]);
    assert.ok(row.known_transaction_id! > 0 && row.account_id! > 0 && row.why !== null);
  }
  for (const [query, count, hasMore] of [
    ['?limit=22', 22, true],
    ['?limit=23', 23, false],
    ['?limit=5&offset=20', 3, false],
    ['?offset=23', 0, false],
    ['?offset=9007199254740991', 0, false],
    ['?verdict=known&limit=19', 19, true],
    ['?verdict=known&limit=20', 20, false],
    ['?verdict=new&offset=1', 1, false],
    ['?verdict=doubtful', 0, false],
  ] as const) {
    const { rows, has_more } = await rowsOf(body.id, query);
    assert.deepEqual([rows.length, has_more], [count, hasMore], query);
  }
  assert.deepEqual((await rowsOf(body.id, '?limit=2&offset=20')).rows, body.rows.slice(20, 22));
  assert.equal((await send('GET', `/${body.id}/rows?verdict=left`)).status, 400);
  assert.equal((await send('DELETE', `/${body.id}`)).status, 204);
  for (const [method, path] of paths)
    assert.equal((await send(method, `/${body.id}${path}`)).status, 404, path);
});

test('choices and on_doubt decide about rows, changed options read the file again', async () => {
  const { body } = await upload(
    'Tag;Wer;Wieviel;Was\n13.06.2024;A;-1,00;x\n14.06.2024;B;-2,00;y\n',
    '?map=date%3DTag,payee%3DWer,amount%3DWieviel&account=Giro',
  );
  assert.equal(body.status, 'ready', JSON.stringify(body));
  const choices = [3, 1, 1].map((number) => ({ number, action: 'keep' }));
  const wrong = await commit<Refusal>(body.id, { rows: choices });
  assert.equal(wrong.status, 400);
  assert.deepEqual(messages(wrong.body), [
    'The file has no row 3: its rows have the numbers 1 to 2',
    'Row 1 has several actions',
  ]);
  const zero = { rows: [{ number: 0, action: 'skip' }] };
  assert.equal((await commit<Refusal>(body.id, zero)).status, 400);
  const options = { map: 'date=Nope', encoding: 'utf-99', currency: 'EURO' };
  const bad = await commit<Refusal>(body.id, options);
  assert.equal(bad.status, 400);
  assert.deepEqual(messages(bad.body), [
    'encoding: "utf-99" is not a known encoding',
    'currency: "EURO" is not a currency code of three letters',
  ]);
  const gone = await commit<Refusal>(body.id, { map: 'date=Nope' });
  assert.equal(gone.status, 400);
  assert.match(messages(gone.body)[0]!, /Nope/);
  const kept = (await send<ImportRecord>('GET', `/${body.id}`)).body.preview!;
  assert.deepEqual([kept.status, kept.options, kept.rows], ['ready', body.options, body.rows]);
  const rows = [{ number: 2, action: 'skip' }];
  const map = 'date=Tag,payee=Was,amount=Wieviel';
  const { status, body: record } = await commit(body.id, { map, rows });
  assert.deepEqual([status, record.imported, record.skipped], [200, 1, 1]);
  const [row] = await importedBy(body.id);
  assert.equal(row!.payee, 'x');
});

test('rows that a user changed or deleted are shown with the reason, and left out unless asked for', async () => {
  const file = csv(['A', 'B', 'C'].map((payee) => `2024-07-01,${payee},-3.00`));
  const first = await commit((await upload(file, '?account=Shown')).body.id);
  const rows = await importedBy(first.body.id);
  const [a, b] = rows.map(({ id }) => id);
  const write = { headers: as(made.ada), url: `/v2/transactions/${a}` };
  await made.app.inject({ ...write, method: 'DELETE' });
  const url = `/v2/transactions/${b}`;
  await made.app.inject({ ...write, url, method: 'PUT', payload: { date: '2024-09-01' } });
  const { body } = await upload(file, '?account=Shown');
  assert.deepEqual(
    body.rows.map((row) => [row.verdict, row.known_transaction_id, row.is_imported, row.why]),
    [
      ['doubtful', a, false, `you deleted transaction ${a}`],
      [
        'doubtful',
        b,
        false,
        `you changed the date of transaction ${b} from 2024-07-01 to 2024-09-01`,
      ],
      ['known', rows[2]!.id, false, 'same date, amount and payee'],
    ],
  );
  assert.deepEqual([body.verdicts['doubtful'], body.imported, body.doubtful_imported], [2, 0, 0]);
  const left = await commit(body.id);
  assert.deepEqual([left.body.imported, left.body.skipped, left.body.known], [0, 2, 1]);
  const again = await upload(file, '?account=Shown');
  const chosen = await commit(again.body.id, { rows: [{ number: 2, action: 'keep' }] });
  assert.equal(chosen.body.imported, 1);
  const last = await upload(file, '?account=Shown&on_doubt=keep');
  assert.deepEqual([last.body.imported, last.body.doubtful_imported], [1, 1]);
  assert.equal((await commit(last.body.id)).body.imported, 1);
});

test('a commit is refused when the book has changed, and shows the rows that did', async () => {
  const [first, second] = [
    await upload(month('Bar'), '?account=Other'),
    await upload(month('Bar'), '?account=Other'),
  ];
  assert.equal((await commit(first.body.id)).status, 200);
  const before = await version();
  const { status, body } = await commit<Refusal>(second.body.id);
  assert.deepEqual([status, body.message, body.errors.length], [409, 'Conflict', 20]);
  const { errMsg, number, verdict, known_transaction_id, before: was } = body.errors[0]!;
  assert.deepEqual(
    [number, verdict, was],
    [1, 'known', { verdict: 'new', known_transaction_id: null }],
  );
  assert.equal(
    errMsg,
    `Row 1 is known (transaction ${String(known_transaction_id)}) now, and was new in the preview`,
  );
  assert.equal(await version(), before);
  const { preview } = (await send<ImportRecord>('GET', `/${second.body.id}`)).body;
  assert.deepEqual(
    [preview?.status, preview?.verdicts['known'], preview?.errors],
    ['ready', 20, body.errors],
  );
  const { body: record } = await commit(second.body.id);
  assert.deepEqual([record.imported, record.known, record.version], [0, 20, null]);
});

test('of two commits at once one wins, and an equal request with a key has one effect', async () => {
  const { body } = await upload(month('Zoo'), '?account=Zoo');
  const both = await Promise.all([commit<Refusal>(body.id), commit<Refusal>(body.id)]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409]);
  const key = { 'idempotency-key': 'one' };
  const [one, two] = [
    await upload(month('Key'), '?account=Key', { headers: key }),
    await upload(month('Key'), '?account=Key', { headers: key }),
  ];
  assert.deepEqual(two, one);
  assert.equal((await upload(month('Other'), '?account=Key', { headers: key })).status, 422);
  const done = await commit(one.body.id, {}, key);
  assert.deepEqual(await commit(one.body.id, {}, key), done);
});

test('hostile uploads are refused with what is wrong, and leave nothing', async () => {
  const before = await leftovers();
  const refused = async (payload: string | Buffer, more: Sent = {}, query = '') => {
    const { status, body } = await upload<Refusal>(payload, query, more);
    return [status, ...messages(body)] as const;
  };
  const form = { type: 'multipart/form-data; boundary=B' };
  const part = (disposition: string, content: string) =>
    `--B\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
  const file = part('name="file"; filename="a.csv"', month('Form'));
  const noBody = await send<Refusal>('POST', '');
  assert.equal(noBody.status, 400);
  assert.match(messages(noBody.body)[0]!, /^Missing body: send a file/);
  assert.deepEqual(await refused(Buffer.alloc(50 * 2 ** 20 + 1, 'a')), [
    413,
    'The file is larger than 50 MB',
  ]);
  assert.deepEqual(
    (await refused(gzipSync('a'), { headers: { 'content-encoding': 'gzip' } }))[0],
    415,
  );
  for (const [body, words] of [
    ['', /Missing body|complete form/],
    ['--B', /complete form/],
    [file, /complete form/],
    [`${file}--B-`, /complete form/],
    [`${file}--Bx\r\n`, /not a form/],
    [`${part('name="map"', 'x')}--B--`, /no field file/],
    [`${file}${file}--B--`, /one file, in the field file/],
    [`${part('name="other"; filename="a"', 'x')}--B--`, /one file, in the field file/],
    [`--B\r\n\r\nx\r\n--B--`, /has no name/],
    [`--B\r\n${'a'.repeat(9000)}`, /8192 bytes of headers/],
    [`${part('name="map"', 'x'.repeat(70_000))}--B--`, /longer than 65536/],
    [`${part('name="map"', 'x').repeat(21)}--B--`, /20 parts/],
    [`${part(`name="file"; filename*=UTF-8''%ff`, 'x')}--B--`, /percent-encoded/],
    [`${part('name="file"; filename="a.csv"', '')}--B--`, /empty/],
    [`${part('name="nope"', 'x')}${file}--B--`, /Unknown query parameter "nope"/],
  ] as const) {
    const [status, ...all] = await refused(body, form);
    assert.equal(status, 400, body.slice(0, 200));
    assert.match(all.join('; '), words);
  }
  assert.equal((await refused('x', { type: 'multipart/form-data' }))[0], 400);
  const wrong = '?format=pdf&negate=yes&decimal=dot&on_doubt=ask&limit=3&map=';
  const [status, ...all] = await refused(month('A'), {}, wrong);
  assert.deepEqual([status, all.length], [400, 6]);
  assert.match(all.join('; '), /"pdf".*"dot".*"ask"/);
  assert.deepEqual(
    await refused(month('A'), {}, '?map=a&encoding=x&currency=1&account=12%3DGiro%0AA%0AB'),
    [
      400,
      'map: Column map: part "a" does not have the form key=column. The keys are date, amount, debit, credit, direction, payee, notes, category, account, currency, external_id, tags, status, fee, balance',
      'encoding: "x" is not a known encoding',
      'currency: "1" is not a currency code of three letters',
      'account: "12=Giro" needs at least the last 4 characters of the number before "="',
    ],
  );
  assert.equal(await leftovers(), before);
});

test('a form has the file and its options, in any order', async () => {
  const data = new FormData();
  data.set('account', 'Form');
  data.set('file', new File([month('Form')], 'mai "é".csv'));
  data.set('negate', 'true');
  const request = new Request('http://localhost', { method: 'POST', body: data });
  const type = request.headers.get('content-type')!;
  const { status, body } = await upload(
    Buffer.from(await request.arrayBuffer()),
    '?on_doubt=skip',
    { type },
  );
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(body.file_name, 'mai "é".csv');
  assert.deepEqual(body.options, { account: 'Form', negate: true, on_doubt: 'skip' });
  assert.equal(body.sums[0]!.amount, '220.0000');
});

const statement = 'Date,Payee,Amount\n2024-05-01,A,-1\n2024-05-02,B,-2\n';

test('the name of a file is a text like others, whatever is in it', async () => {
  const names = ['../../etc/passwd', 'C:\\a\\b.csv', 'a\r\nb\u001b[31m', '\u0000', "*=UTF-8''%00"];
  for (const name of [...names, '🥂'.repeat(127)]) {
    const query = `?file_name=${encodeURIComponent(name)}`;
    const { status, body } = await upload(statement, query);
    assert.equal(status, 201, name);
    const [row] = await made.engine.read(() => select(imports, { id: body.id }));
    assert.equal(body.file_name, row!.file_name);
    assert.equal(body.file_name, name.replaceAll('\0', ''));
  }
  const long = await upload(statement, `?file_name=${'a'.repeat(10_000)}`);
  assert.equal(long.status, 400);
  const part = `Content-Disposition: form-data; name="file"; filename="${'a'.repeat(5000)}"`;
  const form = `--B\r\n${part}\r\n\r\n${statement}\r\n--B--`;
  const type = 'multipart/form-data; boundary=B';
  const { status, body } = await upload(form, '', { type });
  assert.deepEqual([status, body.file_name!.length], [201, 255]);
});

test('a hundred thousand choices import nothing', async () => {
  const { body } = await upload(statement);
  const rows = Array.from({ length: 100_000 }, (_, n) => ({ number: n + 1, action: 'skip' }));
  const { status } = await commit(body.id, { rows });
  assert.ok([400, 413].includes(status), String(status));
  const none = await made.engine.read(() => select(imports, { id: body.id }));
  assert.equal(none[0]!.is_preview, true);
});

test('a body that is announced as too large, or that is cut off, leaves nothing', async (t) => {
  const before = await leftovers();
  const port = await listen(made.app);
  t.after(() => made.app.close());
  const token = as(made.ada).authorization;
  const start = (header: string) => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.on('error', () => undefined);
    const head = `POST /coffer/imports HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\nContent-Type: text/csv\r\n`;
    socket.write(`${head}${header}\r\n\r\n`);
    return socket;
  };
  const received = async (socket: Socket) => {
    let text = '';
    socket.on('data', (chunk: string) => (text += chunk));
    await once(socket, 'close');
    return text;
  };
  assert.match(await received(start(`Content-Length: ${51 * 2 ** 20}`)), /^HTTP\/1\.1 413 /);
  const broken = start('Transfer-Encoding: chunked');
  broken.write('5\r\nDate,\r\nZZ\r\n');
  assert.doesNotMatch(await received(broken), /^HTTP\/1\.1 [25]/);
  const cut = start('Content-Length: 100');
  cut.end(statement);
  assert.doesNotMatch(await received(cut), /^HTTP\/1\.1 [25]/);
  assert.equal(await leftovers(), before);
});
