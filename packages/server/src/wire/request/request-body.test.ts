import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { as, makeTestApp, type InjectOptions } from '../../http/testing/test-app.ts';
import { assertErrorFormat } from '../../http/testing/test-answers.ts';
import { components, described } from '../../resources/index.ts';
import { Problem } from '../problem.ts';
import { requestReader } from './request-reader.ts';
import { runs } from '../../../../core/src/testing/length.ts';

const { app, ada } = await makeTestApp();
after(() => app.close());

/** Reads a request with the reader of the operation with this id. */
function read(id: string, body: unknown, { query = '', path = {} } = {}) {
  const operation = described.operations.find(({ declaration }) => declaration.id === id);
  assert.ok(operation, id);
  return requestReader(operation, components)({ query, path, body });
}

/** The place, the keyword and the text of each problem. */
async function problemsOf(id: string, body: unknown, rest = {}): Promise<string[][]> {
  const error: unknown = await read(id, body, rest).catch((reason: unknown) => reason);
  assert.ok(error instanceof Problem, String(error));
  assert.equal(error.kind, 'validation');
  return error.details.map(({ instancePath, keyword, errMsg }) =>
    [instancePath, keyword, errMsg].map(String),
  );
}

const createTag = (body: unknown) => problemsOf('createTag', body);
const createCategory = (body: unknown) => problemsOf('createCategory', body);

describe('a body is refused', () => {
  const cases: [name: string, body: unknown, place: string, keyword: string, words: RegExp][] = [
    ['that is missing', undefined, '', 'required', /^Missing body$/],
    ['that is null', null, '/body', 'type', /^The body must be an object, not null$/],
    ['that is a list', [{}], '/body', 'type', /^The body must be an object, not \[\{\}\]$/],
    ['that is text', 'a', '/body', 'type', /^The body must be an object, not "a"$/],
    ['without a property that it needs', {}, '/body', 'required', /^Missing body property name$/],
    ['with a number for text', { name: 1 }, '/body/name', 'type', /^Body property name .*, not 1$/],
    ['with null for text', { name: null }, '/body/name', 'type', /must be a string, not null$/],
    [
      'with empty text',
      { name: '' },
      '/body/name',
      'minLength',
      /at least 1 character long, not ""/,
    ],
    ['with blanks alone', { name: ' \t' }, '/body/name', 'pattern', /must be more than blanks/],
    ['with long text', { name: 'x'.repeat(101) }, '/body/name', 'maxLength', /at most 100 char/],
  ];
  for (const [name, body, place, keyword, words] of cases)
    test(name, async () => {
      const problems = await createTag(body);
      const first = problems.find((problem) => problem[1] === keyword);
      assert.equal(first?.[0], place);
      assert.match(first[2] ?? '', words);
      if (name !== 'with empty text') assert.equal(problems.length, 1, String(problems));
    });

  test('with a value that has none of several types, reported once', async () => {
    const children = [1, 'Bars', { id: 3, more: true }, 0, '', true, { id: 'x' }];
    const problems = await createCategory({ name: 'a', is_group: true, children });
    assert.deepEqual(
      problems.map(([place, keyword]) => `${place} ${keyword}`),
      [3, 4, 5, 6].map((at) => `/body/children/${at} anyOf`),
    );
    assert.match(problems[2]?.[2] ?? '', /children\/2|children\/5 must be an integer or a string/);
  });

  test('with all problems of path, query and body at once', async () => {
    const body = { name: 1, archived: 'yes', text_color: 'red', a: 1, '/~': 2 };
    const problems = await problemsOf('updateTag', body, { query: 'x=1', path: { id: 'y' } });
    assert.deepEqual(problems.map(([place, keyword]) => `${place} ${keyword}`).sort(), [
      '/body additionalProperties',
      '/body additionalProperties',
      '/body/archived type',
      '/body/name type',
      '/body/text_color pattern',
      '/path/id type',
      '/query additionalProperties',
    ]);
    const words = problems.map(([, , errMsg]) => errMsg);
    assert.ok(words.includes('Unknown body property "/~"'), words.join('\n'));
    assert.ok(
      words.includes('Body property text_color must be 3 or 6 hexadecimal digits, not "red"'),
    );
  });

  test('with NUL characters and halves of surrogate pairs at any depth', async () => {
    for (const text of ['a\0', '\ud800', 'a\udc00b', '\udc00\ud800']) {
      assert.deepEqual(
        (await createTag({ name: text, description: text })).map(([place]) => place),
        ['/body/name', '/body/description'],
      );
      const [child] = await createCategory({ name: 'a', is_group: true, children: ['b', text] });
      assert.deepEqual(child?.slice(0, 2), ['/body/children/1', 'storableText']);
      const [ignored] = await problemsOf('updateTag', { id: { a: text } }, { path: { id: '1' } });
      assert.equal(ignored?.[0], '/body/id/a');
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
    assert.equal((await problemsOf('updateTag', { archived_at: '2026' }, { path })).length, 1);
  });

  test('as an empty object if the operation has no body', async () => {
    const path = { id: '1' };
    for (const id of ['deleteTag', 'refreshCryptoSynced'])
      for (const body of [undefined, {}]) await read(id, body, { path });
    for (const body of [null, [], 'a', { force: true }])
      assert.equal((await problemsOf('deleteTag', body, { path })).length, 1);
  });

  test('by GET, whatever it is, and ignored', async () => {
    for (const body of [undefined, null, 'a\0', { limit: 1 }])
      assert.equal((await read('getAllTags', body)).body, undefined);
  });
});

test('a parameter that is not sent has its default', async () => {
  const path = { id: '1' };
  assert.deepEqual(
    { ...((await read('deleteTag', undefined, { path })).query as object) },
    {
      force: false,
    },
  );
  const sent = await read('deleteTag', undefined, { path, query: 'force=true' });
  assert.deepEqual({ ...(sent.query as object) }, { force: true });
  const list = await read('getAllCategories', undefined);
  assert.deepEqual({ ...(list.query as object) }, { format: 'nested' });
});

const names = Object.keys(components.CategoryUpdate.properties).concat(
  Object.keys(components.TagUpdate.properties),
);
/** Bodies with the properties of tags and categories, and values that may or may not be valid. */
const anyBody = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(
    fc.constantFrom(...names),
    fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.constantFrom('ada', 'ADA ', 'a\0', '\ud800', 1, 2, 0, -1, 1e21, 2 ** 53, null, true),
      fc.array(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.string(), fc.jsonValue())),
      fc.constantFrom(
        '2026-01-02T03:04:05.678Z',
        '2016-12-31T23:59:60Z',
        '0001-01-01T00:00:00+23:59',
      ),
    ),
  ),
);

test('every body leads to a refusal or a success', async () => {
  const target = fc.constantFrom(
    ...(['tags', 'categories'] as const).flatMap((noun) => [
      { method: 'POST', url: `/v2/${noun}` } as const,
      { method: 'PUT', url: `/v2/${noun}/1` } as const,
      { method: 'PUT', url: `/v2/${noun}/2` } as const,
    ]),
  );
  for (const noun of ['tags', 'categories'])
    for (const name of ['ada', 'ben'])
      await app.inject({
        ...{ method: 'POST', url: `/v2/${noun}`, headers: as(ada) },
        payload: noun === 'tags' ? { name } : { name, is_group: name === 'ada' },
      });
  await fc.assert(
    fc.asyncProperty(target, anyBody, async (to, body) => {
      const headers = { ...as(ada), 'content-type': 'application/json' };
      const options: InjectOptions = { ...to, headers, payload: JSON.stringify(body) };
      const answer = await app.inject(options);
      assert.ok([200, 201, 400].includes(answer.statusCode), answer.body);
      if (answer.statusCode === 400) assertErrorFormat(answer);
    }),
    { numRuns: runs(1500) },
  );
});
