import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseQueryString } from './query-string.ts';

const values = (text: string) => ({ ...parseQueryString(text).values });

test('names and values are percent-decoded, the first = separates them', () => {
  const expected = { a: '1', limit: '2', b: 'x=y', c: '', d: '' };
  assert.deepEqual(values('a=1&limi%74=%32&b=x=y&c&d='), expected);
  assert.deepEqual(values('a=b+c%2Bd&e=%C3%BC'), { a: 'b c+d', e: 'ü' });
});

test('empty parameters are skipped, an empty name is kept', () => {
  assert.deepEqual(values(''), {});
  assert.deepEqual(values('&&a=1&'), { a: '1' });
  assert.deepEqual(values('=1'), { '': '1' });
});

test('a name sent twice keeps its first value and is reported once', () => {
  const { values: read, repeated } = parseQueryString('a=1&b=2&a=3&%61=4');
  assert.deepEqual({ ...read }, { a: '1', b: '2' });
  assert.deepEqual([...repeated], ['a']);
});

test('brackets and names of prototypes have no special meaning', () => {
  const text = 'limit[]=1&limit[a]=2&__proto__=3&constructor=4&__proto__[x]=5';
  const { values: read } = parseQueryString(text);
  assert.equal(Object.getPrototypeOf(read), null);
  const names = ['limit[]', 'limit[a]', '__proto__', 'constructor', '__proto__[x]'];
  assert.deepEqual(Object.keys(read), names);
  assert.equal(({} as { x?: unknown }).x, undefined);
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

test('it never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      parseQueryString(text);
    }),
  );
});
