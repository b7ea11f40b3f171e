import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { header } from '../../service/http-exchange.ts';
import { addRows, errorsOf, startService, walk, type Row } from '../../service/started-service.ts';

const service = await startService();
after(() => service.close());

/** Texts that are never an integer in plain digits. */
const noNumbers = [
  ...['', '%20', '5%20', '%205', '+5', '5+', '%2B5', '%2D5', '-1', '-0', '1.0', '1.5', '5.', '.5'],
  ...['1e2', '1E2', '0x10', '0b1', '0o7', '00', '01', '007', '1_000', '1,000', 'NaN', 'Infinity'],
  ...['abc', 'null', 'undefined', 'true', '[]', '[5]', '%7B%7D', '%00', '5%00', '5%0A', '%0A5'],
  ...['%D9%A5', '%EF%BC%95', '%C2%B2', '5n', '$5', '0-', '--1'],
  ...[
    '9007199254740992',
    '9007199254740993',
    '18446744073709551616',
    '9'.repeat(20),
    '9'.repeat(400),
  ],
];

/** Texts that are never a calendar date YYYY-MM-DD. */
const noDays = [
  ...['2023-02-29', '1900-02-29', '2100-02-29', '2023-04-31', '2023-13-01', '2023-00-10'],
  ...['2023-01-00', '2023-01-32', '2023-1-5', '2023-01-5', '20230105', '23-01-05', '0000-01-01'],
  ...[
    '0000-00-00',
    '10000-01-01',
    '-2023-01-01',
    '2023-01-05T00:00:00Z',
    '2023-01-05%20',
    '%202023-01-05',
  ],
  ...[
    '2023-01-05%0A',
    '2023/01/05',
    '05.01.2023',
    '2023-W01-1',
    '2023-005',
    'today',
    'now',
    'epoch',
  ],
  ...['infinity', '', 'null', '0', '1672876800', '2023-01-05%00', '%D9%A2%D9%A0%D9%A2%D9%A3-01-05'],
];

async function assertRefused(query: string, name: string): Promise<void> {
  const answer = await service.ask(`/v2/transactions?${query}`);
  assert.equal(answer.status, 400, query);
  const { message, errors } = errorsOf(answer);
  assert.equal(message, 'Request Validation Failure', query);
  assert.ok(
    errors.some((error) => error['instancePath'] === `/query/${name}`),
    `${query}: ${answer.text}`,
  );
  assert.match(String(errors[0]?.['errMsg']), new RegExp(name), query);
}

test('a limit that is not a plain integer is refused and named', async () => {
  for (const text of noNumbers) await assertRefused(`limit=${text}`, 'limit');
});

test('a limit out of bounds is refused, never clamped', async () => {
  for (const text of ['0', '2001', '10000', '9007199254740991']) {
    await assertRefused(`limit=${text}`, 'limit');
  }
  for (const limit of [1, 1000, 1001, 2000]) {
    const page = await service.list(`limit=${limit}`, { as: service.ben });
    assert.equal(page.transactions.length, Math.min(limit, 1003));
  }
});

test('an offset that is not a plain integer is refused and named', async () => {
  for (const text of noNumbers) await assertRefused(`offset=${text}`, 'offset');
});

test('an offset past the last match quickly returns an empty page', async () => {
  for (const offset of [1003, 1004, 10 ** 9, Number.MAX_SAFE_INTEGER]) {
    for (const limit of [1, 2000]) {
      const page = await service.list(`offset=${offset}&limit=${limit}`, { as: service.ben });
      assert.deepEqual(page, { transactions: [], has_more: false });
    }
  }
});

test('a date that is not in the calendar is refused and named', async () => {
  for (const text of noDays) {
    await assertRefused(`start_date=${text}`, 'start_date');
    await assertRefused(`end_date=${text}`, 'end_date');
  }
});

test('leap days and both ends of the calendar are valid', async () => {
  for (const day of ['2024-02-29', '2000-02-29', '1600-02-29', '0001-01-01', '9999-12-31']) {
    const page = await service.list(`start_date=${day}&end_date=${day}`);
    for (const { date } of page.transactions) assert.equal(date, day);
  }
  assert.equal((await service.list('start_date=9999-12-31')).transactions.length, 1);
  assert.equal((await service.list('end_date=0001-01-01')).transactions.length, 1);
});

test('a range that ends before it starts is refused', async () => {
  await assertRefused('start_date=2024-03-02&end_date=2024-03-01', 'start_date');
  await assertRefused('start_date=9999-12-31&end_date=0001-01-01', 'start_date');
});

test('a range of one day has exactly the rows of that day', async () => {
  const whole = (await service.list('limit=2000', { as: service.ben })).transactions;
  for (const day of ['2025-07-01', '2025-07-03', '2025-07-05', '2025-07-06', '2025-06-30']) {
    const query = `start_date=${day}&end_date=${day}&limit=2000`;
    const { transactions } = await service.list(query, { as: service.ben });
    assert.deepEqual(
      transactions,
      whole.filter(({ date }) => date === day),
    );
  }
});

test('a repeated parameter is refused, also with equal values', async () => {
  for (const [name, value] of [
    ['limit', '5'],
    ['offset', '0'],
    ['start_date', '2024-01-01'],
    ['status', 'reviewed'],
    ['include_files', 'true'],
  ] as const) {
    await assertRefused(`${name}=${value}&${name}=${value}`, name);
    await assertRefused(
      `${name}=${value}&x&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=${value}`,
      name,
    );
  }
});

test('an unknown parameter is refused and named', async () => {
  for (const [query, name] of [
    ['stat_date=2024-01-01', 'stat_date'],
    ['limit[]=5', 'limit[]'],
    ['limit%5B%5D=5', 'limit[]'],
    ['limit[a]=5', 'limit[a]'],
    ['offset[0]=5', 'offset[0]'],
    ['Limit=5', 'Limit'],
    ['limit%20=5', 'limit '],
    ['page=2', 'page'],
    ['debit_as_negative=true', 'debit_as_negative'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
    ['toString', 'toString'],
    ['=5', ''],
  ] as const) {
    const answer = await service.ask(`/v2/transactions?${query}`);
    assert.equal(answer.status, 400, query);
    const [error] = errorsOf(answer).errors;
    assert.equal(error?.['instancePath'], '/query', query);
    assert.equal(error['keyword'], 'additionalProperties', query);
    assert.deepEqual(error['params'], { additionalProperty: name });
  }
});

test('the other operations refuse unknown parameters too', async () => {
  for (const target of ['/v2/me', '/v2/categories', '/v2/categories/1', '/v2/transactions/1']) {
    assert.equal((await service.ask(`${target}?colour=red`)).status, 400, target);
  }
});

test('an id in a path that is not a plain integer is 400, not 404', async () => {
  for (const text of [
    'abc',
    '1.0',
    '1e2',
    '+1',
    '01',
    '%20',
    '0x1',
    '9007199254740992',
    '%D9%A5',
  ]) {
    for (const place of ['transactions', 'categories']) {
      const answer = await service.ask(`/v2/${place}/${text}`);
      assert.equal(answer.status, 400, `${place} ${text}`);
      assert.equal(errorsOf(answer).errors[0]?.['instancePath'], '/path/id');
    }
  }
  for (const id of ['0', '-1', '999999', '9999999999999', '9007199254740991']) {
    assert.equal((await service.ask(`/v2/transactions/${id}`)).status, 404, id);
  }
});

test('the order is always date, then id, both descending', async () => {
  const descends = (rows: readonly Row[]): void => {
    for (const [place, row] of rows.slice(1).entries()) {
      const before = rows[place]!;
      const isLater = before.date > row.date || (before.date === row.date && before.id > row.id);
      assert.ok(isLater, `${before.date} ${before.id}, then ${row.date} ${row.id}`);
    }
  };
  for (const as of [service.ada, service.ben]) {
    for (const query of [
      'limit=2000',
      'limit=2000&status=unreviewed',
      'limit=2000&category_id=0',
    ]) {
      const page = await service.list(query, { as });
      descends(page.transactions);
      assert.deepEqual(await service.list(query, { as }), page);
    }
  }
});

test('filtered pages of a long list are complete for any limit', async () => {
  const as = service.ben;
  for (const filter of ['status=unreviewed', 'category_id=0', 'manual_account_id=0']) {
    const whole = (await service.list(`${filter}&limit=2000`, { as })).transactions;
    for (const limit of [59, 500, 1003]) {
      const pages = await walk(service, limit, filter, { as });
      assert.deepEqual(
        pages.flatMap((page) => page.transactions),
        whole,
      );
      assert.equal(pages.length, Math.ceil(whole.length / limit));
    }
  }
});

test('HEAD returns the status and the headers of GET, without a body', async () => {
  for (const target of ['/v2/transactions?limit=3', '/v2/me', '/v2/transactions/999999', '/v2/x']) {
    const [get, head] = [await service.ask(target), await service.ask(target, { method: 'HEAD' })];
    assert.equal(head.status, get.status, target);
    assert.equal(header(head, 'Content-Length'), header(get, 'Content-Length'));
    assert.deepEqual(Object.keys(head.lines).toSorted(), Object.keys(get.lines).toSorted());
  }
});

test('a page shows a change at once: nothing is cached', async (t) => {
  const own = await startService();
  t.after(() => own.close());
  const target = '/v2/transactions?start_date=2025-10-01';
  const empty = await own.ask(target, { as: own.ben });
  const tag = header(empty, 'ETag');
  await addRows(own.engine, own.ben, 2, '2025-10-02');
  const asking = { as: own.ben, headers: ['If-None-Match', tag] };
  const later = await own.ask(target, asking);
  assert.equal(later.status, 200);
  assert.equal((JSON.parse(later.text) as { transactions: unknown[] }).transactions.length, 2);
});
