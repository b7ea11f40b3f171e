import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wireTypes } from './types.ts';

const getParser = wireTypes.getTypeParser as (oid: number) => (text: string) => unknown;
const parse = (oid: number, text: string): unknown => getParser(oid)(text);

test('bytes are read in both output formats of a server', () => {
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const escaped = [...every]
    .map((byte) => (byte < 32 || byte > 126 ? `\\${byte.toString(8).padStart(3, '0')}` : byte))
    .map((each) => (typeof each === 'number' ? String.fromCharCode(each) : each))
    .join('')
    .replace('[\\]', '[\\\\]');
  assert.deepEqual(parse(17, `\\x${every.toString('hex')}`), every);
  assert.deepEqual(parse(17, escaped), every);
  assert.deepEqual(parse(17, '\\\\x00'), Buffer.from('\\x00'));
  assert.deepEqual(parse(17, ''), Buffer.alloc(0));
});

test('an integer that a number cannot represent is refused, not rounded', () => {
  assert.equal(parse(20, '-9007199254740991'), -(2 ** 53 - 1));
  assert.throws(() => parse(20, '9007199254740992'), /9007199254740992/);
});
