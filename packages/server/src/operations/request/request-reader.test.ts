import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { assertErrorFormat } from '../../http/testing/test-answers.ts';
import { as, makeTestApp } from '../../http/testing/test-app.ts';
import { described } from '../../all.ts';
import { Problem } from '../problem.ts';
import { itemKeys } from './explain.ts';
import { requestReader, parseQueryString } from './request-reader.ts';

const { app, ada } = await makeTestApp();
after(() => app.close());

const readers = new Map(
  described().operations.map((each) => [each.declaration.id, requestReader(each)]),
);

function read(id: string, body: unknown, { query = '', path = {} } = {}) {
  return readers.get(id)!({ query, path, body });
}

async function detailsOf(id: string, body: unknown, rest = {}): Promise<Problem['details']> {
  const error: unknown = await read(id, body, rest).catch((reason: unknown) => reason);
  assert.ok(error instanceof Problem, `${id} ${JSON.stringify(rest)}: ${String(error)}`);
  assert.equal(error.kind, 'validation');
  return error.details;
}

async function onlyProblem(query: string, id = 'getAllTransactions', path = {}) {
  const details = await detailsOf(id, undefined, { query, path });
  assert.equal(details.length, 1, query);
  return details[0]!;
}

const list = async (query: string) =>
  (await read('getAllTransactions', undefined, { query })).query as object;

describe('a query', () => {
  // test/spec/transactions/pagination.test.ts has many more texts of numbers and dates.
  test('has plain integers, words and dates in bounds: others are quoted, and never clamped', async () => {
    for (const [name, text, keyword] of [
      ['limit', '+5', 'type'],
      ['limit', '0', 'minimum'],
      ['limit', '2001', 'maximum'],
      ['offset', '-1', 'minimum'],
      ['manual_account_id', '-1', 'minimum'],
      ['tag_id', '0', 'minimum'],
      ['status', 'Reviewed', 'enum'],
      ['status', '', 'enum'],
      ['is_pending', '1', 'type'],
      ['is_pending', 'TRUE', 'type'],
      ['include_files', '', 'type'],
      ['start_date', '2023-02-29', 'format'],
      ['end_date', '2023-1-5', 'format'],
      ...['2023-02-29', '2024-01-01T00:00:00+02:00', '2024-01-01T00:00:00', 'now'].map(
        (since) => ['created_since', since, 'anyOf'] as const,
      ),
    ] as const) {
      const query = `${name}=${text}`;
      const { errMsg, instancePath, schemaPath, ...rest } = await onlyProblem(query);
      assert.deepEqual([instancePath, rest['keyword']], [`/query/${name}`, keyword], query);
      const quoted = JSON.stringify(text.replaceAll('+', ' '));
      if (keyword === 'type') assert.ok(errMsg.includes(quoted) && errMsg.includes(name), errMsg);
      if (keyword === 'anyOf') assert.match(errMsg, /a date of the calendar .* or a date-time/);
      else assert.equal(schemaPath, `#/properties/query/properties/${name}/${keyword}`, query);
    }
    const turned = await onlyProblem('start_date=2024-02-01&end_date=2024-01-31');
    assert.deepEqual(
      [turned['instancePath'], turned['keyword']],
      ['/query/start_date', 'formatMaximum'],
    );
  });

  test('compares a date, or a date-time with an offset, in milliseconds', async () => {
    for (const [since, found] of [
      ['2023-11-14', 30],
      ['2023-11-15', 0],
      ['2023-11-15T00:13:20.0009%2B02:00', 30],
      ['2023-11-15T00:13:20.0019%2B02:00', 0],
    ] as const)
      for (const name of ['created_since', 'updated_since']) {
        const url = `/v2/transactions?${name}=${since}`;
        const { transactions } = (await app.inject({ url, headers: as(ada) })).json<{
          transactions: [];
        }>();
        assert.equal(transactions.length, found, url);
      }
  });

  test('has known names, each once, of text that is percent-encoded', async () => {
    const { params, errMsg } = await onlyProblem('__proto__=1', 'getMe');
    assert.deepEqual(params, { additionalProperty: '__proto__' });
    assert.ok(errMsg.includes('"__proto__"'));
    assert.equal((await onlyProblem('limit=5&limi%74=5'))['instancePath'], '/query/limit');
    for (const query of ['limit=%zz', 'limit=%ff', '%=1'])
      assert.equal((await onlyProblem(query))['instancePath'], '/query');
  });

  test('has defaults, and false and 0 are values', async () => {
    const query = 'include_pending=false&is_pending=false&status=unreviewed&category_id=0';
    assert.deepEqual(
      { ...(await list(query)) },
      {
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
      },
    );
    for (const text of ['True', 'FALSE', '1']) await onlyProblem(`is_pending=${text}`);
    const nested = await read('getAllCategories', undefined);
    assert.deepEqual({ ...(nested.query as object) }, { format: 'nested' });
  });
});

describe('a body is refused', () => {
  const cases: [name: string, body: unknown, place: string, keyword: string, words: RegExp][] = [
    ['that is missing', undefined, '', 'required', /^Missing body$/],
    ['that is null', null, '/body', 'type', /^The body must be an object, not null$/],
    ['that is a list', [{}], '/body', 'type', /^The body must be an object, not \[\{\}\]$/],
    ['that is text', 'a', '/body', 'type', /^The body must be an object, not "a"$/],
    ['without a property that it needs', {}, '/body', 'required', /^Missing body property name$/],
    ['with a number for text', { name: 1 }, '/body/name', 'type', /^Body property name .*, not 1$/],
    ['with null for text', { name: null }, '/body/name', 'type', /must be a string, not null$/],
    ['with empty text', { name: '' }, '/body/name', 'minLength', /at least 1 character long/],
    ['with blanks alone', { name: ' \t' }, '/body/name', 'pattern', /must be more than blanks/],
    ['with long text', { name: 'x'.repeat(101) }, '/body/name', 'maxLength', /at most 100 char/],
  ];
  const placesOf = (details: Problem['details']): string[] =>
    details.map(({ instancePath, keyword }) => `${String(instancePath)} ${String(keyword)}`);

  for (const [name, body, place, keyword, words] of cases)
    test(name, async () => {
      const problems = await detailsOf('createTag', body);
      const found = problems.find((problem) => problem['keyword'] === keyword);
      assert.equal(found?.['instancePath'], place);
      assert.match(found.errMsg, words);
      if (name !== 'with empty text') assert.equal(problems.length, 1);
    });

  test('with a value that has none of several types, reported once', async () => {
    const children = [1, 'Bars', { id: 3, more: true }, 0, '', true, { id: 'x' }];
    const problems = await detailsOf('createCategory', { name: 'a', is_group: true, children });
    const expected = [3, 4, 5, 6].map((at) => `/body/children/${at} anyOf`);
    assert.deepEqual(placesOf(problems), expected);
    assert.match(problems[2]!.errMsg, /children\/2|children\/5 must be an integer or a string/);
  });

  test('with all problems of path, query and body at once, at most 100', async () => {
    const body = { name: 1, archived: 'yes', text_color: 'red', a: 1, '/~': 2 };
    const problems = await detailsOf('updateTag', body, { query: 'x=1', path: { id: 'y' } });
    assert.deepEqual(placesOf(problems).sort(), [
      '/body additionalProperties',
      '/body additionalProperties',
      '/body/archived type',
      '/body/name type',
      '/body/text_color pattern',
      '/path/id type',
      '/query additionalProperties',
    ]);
    const words = problems.map(({ errMsg }) => errMsg);
    for (const expected of [
      'Unknown body property "/~"',
      'Body property text_color must be 3 or 6 hexadecimal digits, not "red"',
    ])
      assert.ok(words.includes(expected), words.join('\n'));
    const query = Array.from({ length: 2000 }, (_, at) => `p${at}`).join('&');
    const many = await app.inject({ url: `/v2/transactions?${query}`, headers: as(ada) });
    assert.equal(assertErrorFormat(many).errors.length, 100);
  });

  test('with NUL characters and halves of surrogate pairs at any depth', async () => {
    for (const text of ['a\0', '\ud800', 'a\udc00b', '\udc00\ud800']) {
      assert.deepEqual(placesOf(await detailsOf('createTag', { name: text, description: text })), [
        '/body/name storableText',
        '/body/description storableText',
      ]);
      const group = { name: 'a', is_group: true, children: ['b', text] };
      const inGroup = placesOf(await detailsOf('createCategory', group));
      assert.equal(inGroup[0], '/body/children/1 storableText');
      const ignored = await detailsOf('updateTag', { id: { a: text } }, { path: { id: '1' } });
      assert.equal(ignored[0]?.['instancePath'], '/body/id/a');
    }
    await read('createTag', { name: '🪙\n' });
  });
});

describe('a body is accepted', () => {
  test('unchanged: nothing is added, converted or trimmed', async () => {
    for (const body of [{ name: ' 1 ' }, { name: '🪙'.repeat(100), archived: false }])
      assert.deepEqual((await read('createTag', body)).body, body);
    const path = { id: '1' };
    assert.deepEqual((await read('updateTag', {}, { path })).body, {});
    const archived_at = '2026-01-02T03:04:05+02:00';
    assert.deepEqual((await read('updateTag', { archived_at }, { path })).body, { archived_at });
    assert.equal((await detailsOf('updateTag', { archived_at: '2026' }, { path })).length, 1);
  });

  test('as an empty object if the operation has no body', async () => {
    const path = { id: '1' };
    for (const id of ['deleteTag', 'refreshCryptoSynced']) {
      for (const body of [undefined, {}]) await read(id, body, { path });
      for (const body of [null, [], 'a', { force: true }])
        assert.equal((await detailsOf(id, body, { path })).length, 1);
    }
  });
});

const keysOf = (instancePath: string, keyword = 'type', params = {}) =>
  itemKeys({ instancePath, keyword, params });

test('a problem inside an item of an array has its index and the property', () => {
  assert.deepEqual(keysOf('/body/ids/3'), { ids_index: 3, invalid_property: 'ids' });
  const transaction = { transaction_index: 12, invalid_property: 'tag_ids' };
  assert.deepEqual(keysOf('/body/transactions/12/tag_ids/0'), transaction);
  const part = { child_transactions_index: 0, invalid_property: 'amount' };
  assert.deepEqual(
    keysOf('/body/child_transactions/0', 'required', { missingProperty: 'amount' }),
    { ...part, error: 'Missing required property' },
  );
  const unknown = { additionalProperty: 'amuont' };
  assert.deepEqual(keysOf('/body/child_transactions/0', 'additionalProperties', unknown), {
    ...part,
    invalid_property: 'amuont',
  });
});

test('other problems have no such keys', () => {
  for (const path of ['', '/body', '/body/ids', '/body/name', '/body/a/b', '/query/1', '/path/id'])
    assert.deepEqual(keysOf(path, 'required', { missingProperty: 'x' }), {}, path);
});

test('names and values are percent-decoded; the first of a name is kept, and none is special', () => {
  for (const [text, expected, repeated = []] of [
    ['a=1&limi%74=%32&b=x=y&c&d=', { a: '1', limit: '2', b: 'x=y', c: '', d: '' }],
    ['a=b+c%2Bd&e=%C3%BC', { a: 'b c+d', e: 'ü' }],
    ['', {}],
    ['&&a=1&', { a: '1' }],
    ['=1', { '': '1' }],
    ['a=1&b=2&a=3&%61=4', { a: '1', b: '2' }, ['a']],
    ['limit[]=1&limit[a]=2&constructor=4', { 'limit[]': '1', 'limit[a]': '2', constructor: '4' }],
    ['__proto__=3&__proto__[x]=5', { ['__proto__']: '3', '__proto__[x]': '5' }],
  ] as [string, object, string[]?][]) {
    const parsed = parseQueryString(text);
    assert.equal(Object.getPrototypeOf(parsed.values), null);
    assert.deepEqual(Object.entries(parsed.values), Object.entries(expected), text);
    assert.deepEqual([...parsed.repeated], repeated, text);
  }
});

test('text that is not percent-encoded UTF-8 is a problem', () => {
  const inValues = ['a=%', 'a=%z1', 'a=%C3', 'a=%ff', 'a=%ED%A0%80', 'a=ü', 'a=b#c', 'a=\x7f'];
  for (const parameter of [...inValues, '%=1']) {
    const { values: read, problems } = parseQueryString(`${parameter}&b=2`);
    assert.deepEqual({ ...read }, { b: '2' }, parameter);
    assert.equal(problems.length, 1);
    assert.match(problems[0]?.errMsg ?? '', /percent-encoded/);
  }
});

test('the output of URLSearchParams is parsed into the same values', () => {
  const arbitraryText = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(fc.dictionary(arbitraryText, arbitraryText), (record) => {
      const { values: read, problems } = parseQueryString(String(new URLSearchParams(record)));
      assert.deepEqual({ ...read }, { ...record });
      assert.deepEqual(problems, []);
    }),
  );
});
