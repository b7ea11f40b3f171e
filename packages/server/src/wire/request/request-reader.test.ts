import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { components } from '../../resources/index.ts';
import { transactionRoutes } from '../../resources/transactions/routes.ts';
import { requestReader } from './request-reader.ts';
import { as, makeTestApp } from '../../http/testing/test-app.ts';
import { assertErrorFormat } from '../../http/testing/test-answers.ts';

const { app, ada } = await makeTestApp();
after(() => app.close());

const get = (url: string) => app.inject({ url, headers: as(ada) });
const list = (query: string) => get(`/v2/transactions?${query}`);

const readList = requestReader(transactionRoutes[0]!, components);

/** The query that the handler of the list receives. */
async function queryOf(query: string): Promise<Record<string, unknown>> {
  return { ...((await readList({ query, path: {} })).query as object) };
}

/** Returns the only error of a response. */
async function onlyError(url: string) {
  const answer = await get(url);
  assert.equal(answer.statusCode, 400, url);
  const { message, errors } = assertErrorFormat(answer);
  assert.equal(message, 'Request Validation Failure');
  assert.equal(errors.length, 1, answer.body);
  return errors[0] as Record<string, unknown> & { errMsg: string };
}

const noIntegers = [
  ...[
    '',
    'ten',
    'null',
    'NaN',
    'Infinity',
    '1.0',
    '1.5',
    '1e2',
    '0x10',
    '%2B5',
    '+5',
    '5+',
    '%205',
    '5%20',
  ],
  ...[
    '05',
    '-0',
    '--1',
    '1_000',
    '1,000',
    '%D9%A1',
    '%EF%BC%95',
    '5%00',
    '5%0A',
    'true',
    '[5]',
    '9007199254740992',
  ],
  ...['9007199254740993', '99999999999999999999', '-9007199254740993'],
];

describe('limit and offset accept only integers in plain digits', () => {
  for (const name of ['limit', 'offset']) {
    for (const text of noIntegers) {
      test(`${name}=${text}`, async () => {
        const error = await onlyError(`/v2/transactions?${name}=${text}`);
        assert.equal(error['instancePath'], `/query/${name}`);
        assert.equal(error['keyword'], 'type');
        assert.deepEqual(error['params'], { type: 'integer' });
        assert.match(error.errMsg, new RegExp(`\\b${name}\\b`));
        const quoted = JSON.stringify(decodeURIComponent(text.replaceAll('+', ' ')));
        assert.ok(error.errMsg.includes(quoted), error.errMsg);
      });
    }
  }
});

const outOfBounds: [query: string, name: string, keyword: string][] = [
  ['limit=0', 'limit', 'minimum'],
  ['limit=-1', 'limit', 'minimum'],
  ['limit=2001', 'limit', 'maximum'],
  ['limit=9007199254740991', 'limit', 'maximum'],
  ['offset=-1', 'offset', 'minimum'],
  ['manual_account_id=-1', 'manual_account_id', 'minimum'],
  ['tag_id=0', 'tag_id', 'minimum'],
  ['status=Reviewed', 'status', 'enum'],
  ['status=', 'status', 'enum'],
  ['is_pending=1', 'is_pending', 'type'],
  ['is_pending=TRUE', 'is_pending', 'type'],
  ['include_files=', 'include_files', 'type'],
];

describe('values out of bounds are refused, never clamped', () => {
  for (const [query, name, keyword] of outOfBounds) {
    test(query, async () => {
      const error = await onlyError(`/v2/transactions?${query}`);
      assert.equal(error['instancePath'], `/query/${name}`);
      assert.equal(error['keyword'], keyword);
      const schemaPath = `#/properties/query/properties/${name}/${keyword}`;
      assert.equal(error['schemaPath'], schemaPath);
    });
  }
});

const noDates = [
  ...[
    '2023-02-29',
    '1900-02-29',
    '2023-04-31',
    '2023-13-01',
    '2023-01-00',
    '0000-01-01',
    '2023-1-5',
  ],
  ...[
    '20230105',
    '2023-01-05T00:00:00Z',
    '2023-01-05+',
    '+2023-01-05',
    '',
    'today',
    'infinity',
    '2023-01-05%00',
  ],
];

describe('dates are calendar dates', () => {
  for (const name of ['start_date', 'end_date']) {
    for (const text of noDates) {
      test(`${name}=${text}`, async () => {
        const error = await onlyError(`/v2/transactions?${name}=${text}`);
        assert.equal(error['instancePath'], `/query/${name}`);
        assert.equal(error['keyword'], 'format');
      });
    }
  }

  test('the first and last day, leap days, and one-sided ranges are accepted', async () => {
    for (const date of ['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31']) {
      assert.equal((await list(`start_date=${date}`)).statusCode, 200);
      assert.equal((await list(`end_date=${date}`)).statusCode, 200);
    }
  });

  test('a range of one day is accepted, one that ends before it starts is not', async () => {
    assert.equal((await list('start_date=2024-01-31&end_date=2024-01-31')).statusCode, 200);
    const error = await onlyError('/v2/transactions?start_date=2024-02-01&end_date=2024-01-31');
    assert.equal(error['instancePath'], '/query/start_date');
    assert.equal(error['keyword'], 'formatMaximum');
  });

  test('since accepts a date or a date-time with an offset, and compares in milliseconds', async () => {
    const { created_at } = (await get('/v2/transactions/1001')).json<{ created_at: string }>();
    assert.equal(created_at, '2023-11-14T22:13:20.001Z');
    for (const [since, found] of [
      ['2023-11-14', 30],
      ['2023-11-15', 0],
      ['2023-11-15T00:13:20.0009%2B02:00', 30],
      ['2023-11-15T00:13:20.0019%2B02:00', 0],
    ] as const)
      for (const name of ['created_since', 'updated_since']) {
        const { transactions } = (await list(`${name}=${since}`)).json<{ transactions: [] }>();
        assert.equal(transactions.length, found, `${name}=${since}`);
      }
  });

  test('since refuses anything else with one error for both forms', async () => {
    for (const text of ['2023-02-29', '2024-01-01T00:00:00+02:00', '2024-01-01T00:00:00', 'now']) {
      const error = await onlyError(`/v2/transactions?created_since=${text}`);
      assert.equal(error['keyword'], 'anyOf');
      assert.match(error.errMsg, /a date of the calendar .* or a date-time/);
    }
  });
});

describe('names', () => {
  const unknown = [
    'stat_date=2024-01-01',
    'limit[]=5',
    'limit[a]=5',
    'Limit=5',
    'limit%00=5',
    '=5',
    'x',
  ];
  for (const query of [...unknown, '__proto__=1', 'constructor=1', 'toString=1']) {
    test(`an unknown one is refused and named: ${query}`, async () => {
      const error = await onlyError(`/v2/transactions?${query}`);
      const [name = ''] = query.split('=').map(decodeURIComponent);
      assert.equal(error['instancePath'], '/query');
      assert.equal(error['keyword'], 'additionalProperties');
      assert.deepEqual(error['params'], { additionalProperty: name });
      assert.ok(error.errMsg.includes(JSON.stringify(name)));
    });
  }

  test('a known one must not be repeated, even with the same value', async () => {
    const error = await onlyError('/v2/transactions?limit=5&limi%74=5');
    assert.equal(error['instancePath'], '/query/limit');
  });

  test('operations without parameters refuse any', async () => {
    assert.equal((await onlyError('/v2/me?x=1'))['keyword'], 'additionalProperties');
    assert.equal((await onlyError('/v2/transactions/1001?limit=1'))['instancePath'], '/query');
  });

  test('text that is not percent-encoded UTF-8 is refused', async () => {
    for (const query of ['limit=%zz', 'limit=%ff', '%=1']) {
      assert.equal((await onlyError(`/v2/transactions?${query}`))['instancePath'], '/query');
    }
  });
});

test('parameters that are not sent have their defaults, and false is a value', async () => {
  const query = 'include_pending=false&is_pending=false&status=unreviewed&category_id=0';
  assert.deepEqual(await queryOf(query), {
    limit: 1000,
    offset: 0,
    include_pending: false,
    include_split_parents: false,
    include_group_children: false,
    include_children: false,
    include_metadata: false,
    include_files: false,
    is_pending: false,
    status: 'unreviewed',
    category_id: 0,
  });
});

test('one response lists all problems of path and query', async () => {
  const answer = await get('/v2/transactions/abc?x=1&y=2');
  const { errors } = assertErrorFormat(answer);
  const places = errors.map((error) => error['instancePath']);
  assert.deepEqual(places.sort(), ['/path/id', '/query', '/query']);
  const more = await list(
    'limit=0&offset=x&start_date=a&tag_id=0&status=b&is_pending=c&created_since=d&q=e',
  );
  assert.equal(assertErrorFormat(more).errors.length, 8);
});

test('a list of problems ends at 100', async () => {
  const query = Array.from({ length: 2000 }, (_, at) => `p${at}`).join('&');
  assert.equal(assertErrorFormat(await list(query)).errors.length, 100);
});

describe('ids in the path', () => {
  for (const id of ['abc', '1.0', '01', '%20', '1%2F2', '9007199254740993', '1'.repeat(5000)]) {
    test(`${id.slice(0, 20)} is not an id`, async () => {
      const error = await onlyError(`/v2/transactions/${id}`);
      assert.equal(error['instancePath'], '/path/id');
    });
  }

  for (const id of ['0', '-5', '9999999999999', '9007199254740991']) {
    test(`${id} does not exist`, async () => {
      assert.equal((await get(`/v2/transactions/${id}`)).statusCode, 404);
    });
  }
});

test('every integer in bounds reaches the handler unchanged, all others are refused', async () => {
  const arbitraryInteger = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -5, max: 2100 }));
  await fc.assert(
    fc.asyncProperty(arbitraryInteger, arbitraryInteger, async (limit, offset) => {
      const query = `limit=${limit}&offset=${offset}`;
      const isTaken = limit >= 1 && limit <= 2000 && offset >= 0;
      assert.equal((await list(query)).statusCode, isTaken ? 200 : 400);
      if (!isTaken) return;
      const values = await queryOf(query);
      assert.deepEqual([values['limit'], values['offset']], [limit, offset]);
    }),
  );
});
