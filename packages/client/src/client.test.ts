import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ArgumentError,
  createClient,
  EndlessListError,
  MalformedResponseError,
  TooManyRowsError,
} from './index.ts';
import type { ClientOptions } from './index.ts';
import { bench, clientOf } from './testing/client-bench.ts';

const base = { baseUrl: 'http://127.0.0.1:8080', token: 't' };
const list = (transactions: readonly unknown[], has_more: boolean): Response =>
  Response.json({ transactions, has_more });

const numbered = (rows: number) => bench({ rows, limit: 1000 });

const problemsOf = (work: () => unknown): readonly string[] => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof ArgumentError, String(error));
    return error.problems;
  }
  return assert.fail('nothing was thrown');
};

describe('baseUrl', () => {
  test('may end with a slash and with /v2', async () => {
    const requested: string[] = [];
    const fetch = async (url: string): Promise<Response> => {
      requested.push(url);
      return Response.json({ id: 1 });
    };
    const expected = {
      'http://127.0.0.1:8080': 'http://127.0.0.1:8080/v2/me',
      'http://127.0.0.1:8080/': 'http://127.0.0.1:8080/v2/me',
      'http://127.0.0.1:8080/v2': 'http://127.0.0.1:8080/v2/me',
      'http://127.0.0.1:8080/v2/': 'http://127.0.0.1:8080/v2/me',
      'https://api.lunchmoney.dev/v2': 'https://api.lunchmoney.dev/v2/me',
      'https://example.org/books': 'https://example.org/books/v2/me',
      'https://example.org/books/v2': 'https://example.org/books/v2/me',
      'http://[::1]:80': 'http://[::1]/v2/me',
    };
    for (const baseUrl of Object.keys(expected))
      await createClient({ ...base, baseUrl, fetch }).me();
    assert.deepEqual(requested, Object.values(expected));
  });

  test('is refused and quoted in any other form, but a password is not repeated', () => {
    const others = ['', '/v2', 'ftp://a/', 'http://a/?b=c', 'http://a/#b', 'http://a/v1', 'a:80'];
    for (const baseUrl of others) {
      const [problem = '', ...more] = problemsOf(() => createClient({ ...base, baseUrl }));
      assert.deepEqual(more, []);
      assert.ok(problem.includes('baseUrl') && problem.includes(JSON.stringify(baseUrl)), problem);
    }
    const problems = problemsOf(() => createClient({ ...base, baseUrl: 'http://me:hush@a/' }));
    assert.doesNotMatch(problems.join(), /hush/);
  });
});

test('an error names every problem of the options, but never the token', () => {
  const options = {
    baseUrl: 'x',
    token: 'very secret',
    maxAttempts: 0,
    maxElapsedMs: 1.5,
    timeoutMs: NaN,
  };
  const problems = problemsOf(() => createClient(options));
  assert.deepEqual(problems, [
    'baseUrl must be an http or https URL without query, fragment and user, not "x"',
    'token must be visible ASCII characters without spaces',
    'maxAttempts must be an integer from 1 to 100, not 0',
    'maxElapsedMs must be an integer from 1 to 86400000, not 1.5',
    'timeoutMs must be an integer from 1 to 86400000, not NaN',
  ]);
});

test('every request has the token as Bearer and follows no redirect', async () => {
  const inits: { headers: Record<string, string>; redirect: string }[] = [];
  const fetch: ClientOptions['fetch'] = async (_url, init) => {
    inits.push(init);
    return Response.json({ id: 1 });
  };
  await createClient({ ...base, fetch }).me();
  assert.deepEqual(
    inits.map(({ headers, redirect }) => [headers['Authorization'], redirect]),
    [['Bearer t', 'manual']],
  );
});

describe('a list', () => {
  test('sends limit and offset with each request, and the filters', async () => {
    const { client, requests } = clientOf(({ path }) =>
      path.endsWith('offset=20') ? list([{ id: 1 }], false) : list([], true),
    );
    for await (const row of client.transactions.list({
      start_date: '2026-01-01',
      is_pending: false,
      limit: 10,
    })) {
      assert.equal(row.id, 1);
    }
    const query = 'start_date=2026-01-01&is_pending=false&limit=10&offset=';
    await client.transactions.page();
    await client.transactions.page({ offset: 7 });
    assert.deepEqual(
      requests.map(({ path }) => path.replace('/v2/transactions?', '')),
      [
        ...[0, 10, 20].map((offset) => `${query}${offset}`),
        'limit=1000&offset=0',
        'offset=7&limit=1000',
      ],
    );
  });

  test('a page has its position and the offset of the next page', async () => {
    const { clock, client } = numbered(5);
    for (const [offset, next_offset, ids] of [
      [2, 4, [3, 4]],
      [4, null, [5]],
      [9, null, []],
    ] as const) {
      const page = await clock.run(client.transactions.page({ limit: 2, offset }));
      const transactions = ids.map((id) => ({ id }));
      const has_more = next_offset !== null;
      assert.deepEqual(page, { transactions, has_more, limit: 2, offset, next_offset });
    }
  });

  test('pages are requested one by one, none in advance', async () => {
    const { clock, service, client } = numbered(100);
    const read = async (): Promise<void> => {
      for await (const page of client.transactions.pages({ limit: 10 }))
        if (page.offset === 20) break;
    };
    await clock.run(read());
    assert.equal(service.requests.length, 3);
  });

  for (const [name, rows] of [
    ['empty pages', []],
    ['the same page', [{ id: 4 }, { id: 3 }]],
  ] as const) {
    test(`${name} again and again, with has_more: an error after ten pages without a new row`, async () => {
      const { client, requests } = clientOf(() => list(rows, true));
      await assert.rejects(
        client.transactions.toArray({ limit: 5 }, { max: 1000 }),
        EndlessListError,
      );
      assert.equal(requests.length, rows.length === 0 ? 10 : 11);
    });
  }

  test('a page with more rows than its limit is refused, because the extra rows would appear twice', async () => {
    const { client } = clientOf(() => list([{ id: 2 }, { id: 1 }], true));
    await assert.rejects(client.transactions.page({ limit: 1 }), MalformedResponseError);
  });

  test('a body of another form is not a page, and is not requested again', async () => {
    for (const body of [
      null,
      [],
      7,
      {},
      { transactions: [] },
      { transactions: {}, has_more: true },
      { transactions: [null], has_more: true },
      { transactions: [{ id: '1' }], has_more: true },
      { transactions: [], has_more: 'false' },
    ]) {
      const { client, requests } = clientOf(() => Response.json(body));
      await assert.rejects(client.transactions.page(), MalformedResponseError);
      assert.equal(requests.length, 1, JSON.stringify(body));
    }
  });

  test('an invalid limit or offset is refused before anything is sent', async () => {
    const { client, requests } = clientOf(() => Response.json({}));
    for (const [name, value] of [
      ['limit', 0],
      ['limit', 1.5],
      ['limit', 2 ** 53],
      ['offset', -1],
      ['offset', NaN],
    ] as const) {
      const message = new RegExp(`^${name} must be an integer of at least \\d, not ${value}$`);
      const refused = { name: 'ArgumentError', message };
      await assert.rejects(client.transactions.page({ [name]: value }), refused);
      await assert.rejects(client.transactions.list({ [name]: value }).next(), refused);
    }
    await assert.rejects(
      client.transactions.page({ tag_id: null as unknown as number }),
      /tag_id must be .* not null/,
    );
    assert.deepEqual(requests, []);
  });
});

describe('an array', () => {
  test('has all rows up to max, and is refused when there are more', async () => {
    for (const [max, limit] of [
      [10, 3],
      [10, undefined],
      [11, undefined],
      [5000, 4],
    ] as const) {
      const { clock, client } = numbered(10);
      const rows = await clock.run(
        client.transactions.toArray(limit === undefined ? {} : { limit }, { max }),
      );
      assert.equal(rows.length, 10);
    }
    for (const max of [0, 9]) {
      const { clock, client, service } = numbered(10);
      await assert.rejects(clock.run(client.transactions.toArray({}, { max })), TooManyRowsError);
      assert.equal(service.requests.length, 1);
    }
    const { clock, client } = numbered(0);
    assert.deepEqual(await clock.run(client.transactions.toArray({}, { max: 0 })), []);
  });

  test('requests one row more than max, which shows that there are too many', async () => {
    const { client, requests } = clientOf(() => list([], false));
    await client.transactions.toArray({}, { max: 9 });
    assert.deepEqual(
      requests.map(({ path }) => path),
      ['/v2/transactions?limit=10&offset=0'],
    );
  });

  test('needs a valid max', async () => {
    const { client, requests } = clientOf(() => Response.json({}));
    for (const max of [-1, 0.5, Infinity, undefined as unknown as number]) {
      await assert.rejects(
        client.transactions.toArray({}, { max }),
        /max must be an integer of at least 0/,
      );
    }
    assert.deepEqual(requests, []);
  });
});

describe('the other operations', () => {
  test('refuse ids, symbols and paths that would lead to another URL', async () => {
    const { client, requests } = clientOf(() => Response.json({ id: 1 }));
    for (const id of [0, -1, 1.5, NaN, '../me' as unknown as number]) {
      await assert.rejects(client.transactions.get(id), ArgumentError);
      await assert.rejects(client.categories.get(id), ArgumentError);
      await assert.rejects(client.crypto.synced.refresh(id), ArgumentError);
    }
    for (const symbol of ['', '.', '..'])
      await assert.rejects(client.crypto.synced.balance(1, symbol), ArgumentError);
    const paths = [
      '',
      'tags',
      '/',
      '/a//b',
      '/../v1/me',
      '/a/%2E%2e/b',
      '/a?b=c',
      '/a#b',
      '/a\\..',
    ];
    for (const path of paths) await assert.rejects(client.request({ path }), ArgumentError, path);
    assert.equal(requests.length, 0);
    await client.crypto.synced.balance(1, 'a/../../b');
    assert.equal(requests[0]!.path, '/v2/crypto/synced/1/a%2F..%2F..%2Fb');
  });

  test('a response without a body resolves to undefined', async () => {
    const { client, requests } = clientOf(() => new Response(null, { status: 204 }));
    const sent = { method: 'PUT', path: '/tags/1', body: { name: 'a' } } as const;
    assert.equal(await client.request(sent), undefined);
    assert.partialDeepStrictEqual(requests, [{ method: 'PUT', body: '{"name":"a"}' }]);
    await assert.rejects(client.me(), MalformedResponseError);
  });
});
