import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter, anyText } from './testing/any-text.ts';
import {
  compareCodePoints,
  isStorable,
  nameKey,
  payeeKey,
  printable,
  quote,
  shorten,
  storable,
} from './text.ts';

const halves = fc.constantFrom('\0', '\ud83d', '\ude00');
const brokenText = fc.string({ unit: fc.oneof(halves, anyCharacter) });

test('a quoted value is in double quotes, with quotes and control characters escaped', () => {
  assert.equal(quote('limit'), '"limit"');
  assert.equal(quote('a"b\\c\n\0'), '"a\\"b\\\\c\\n\\u0000"');
  assert.equal(quote('x'.repeat(101)), `"${'x'.repeat(100)}…"`);
});

test('a text is cut after 100 characters, or after as many as the caller allows', () => {
  assert.equal(shorten('x'.repeat(100)), 'x'.repeat(100));
  assert.equal(shorten('x'.repeat(101)), `${'x'.repeat(100)}…`);
  assert.equal(shorten('abc', 2), 'ab…');
  assert.equal(shorten('a😀b', 2), 'a…');
  assert.equal(shorten('a😀b', 3), 'a😀…');
  // The last character that is not a pair.
  assert.equal(shorten('a\uffffb', 2), 'a\uffff…');
});

test('a cut keeps a well-formed text well-formed, and exceeds the length only by its mark', () => {
  const text = anyText({ maxLength: 20 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 20 }), (whole, maxLength) => {
      const short = shorten(whole, maxLength);
      assert.ok(short.isWellFormed());
      assert.ok(short.length <= maxLength + 1);
    }),
  );
});

test('characters that control a terminal are escaped', () => {
  assert.equal(printable('a\u001b[2Jb'), 'a\\u001b[2Jb');
  assert.equal(printable('one\r\ntwo\tthree'), 'one\\r\\ntwo\\tthree');
  assert.equal(printable('exe\u202egpj'), 'exe\\u202egpj');
  assert.equal(printable('Zoë 日本 "x" \\'), 'Zoë 日本 "x" \\');
});

test('no printable text has control characters or a second line', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      assert.doesNotMatch(printable(text), /[\p{Cc}\u2028\u2029]/u);
    }),
  );
});

test('storable text has no NUL and no lone surrogate, and is otherwise unchanged', () => {
  assert.equal(storable('a\0b\ud83dc😀'), 'ab\ufffdc😀');
  fc.assert(
    fc.property(brokenText, (text) => {
      assert.ok(isStorable(storable(text)));
      assert.equal(isStorable(text), storable(text) === text);
    }),
  );
});

test('names are compared without surrounding spaces, letter case and composition', () => {
  assert.equal(nameKey(' Café\t'), nameKey('CAFE\u0301'));
  assert.equal(nameKey('J\u030c'), nameKey('\u01f0'));
  assert.equal(nameKey('STRASSE'), nameKey('Straße'));
  assert.equal(nameKey('STRAẞE'), nameKey('Straße'));
  assert.equal(nameKey('ΟΔΟΣ'), nameKey('οδος'));
  assert.equal(nameKey('ﬁn'), nameKey('FIN'));
  assert.notEqual(nameKey('Cafe'), nameKey('Café'));
  assert.notEqual(nameKey('a b'), nameKey('ab'));
  const spaced = [
    'The  Zoo',
    ' the\u00a0zoo',
    'THE\t\u2009Zoo\n',
    'The\u200b\u3000Zoo\u200e',
    'the zoo\ufeff',
  ];
  for (const each of spaced) assert.equal(payeeKey(each), 'the zoo');
  assert.notEqual(payeeKey('thezoo'), 'the zoo');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      assert.equal(nameKey(name.normalize('NFD')), nameKey(name));
      assert.equal(nameKey(nameKey(name)), nameKey(name));
      assert.equal(payeeKey(payeeKey(name)), payeeKey(name));
    }),
  );
});

test('texts are sorted by code points, a prefix first', () => {
  const sorted = ['', 'B', 'a', 'b', 'bb', 'zoo', 'Äpfel', 'ﬀ', '😀'];
  assert.deepEqual(sorted.toReversed().sort(compareCodePoints), sorted);
  const points = (text: string): number[] => Array.from(text, (one) => one.codePointAt(0)!);
  fc.assert(
    fc.property(brokenText, brokenText, (a, b) => {
      const [left, right] = [points(a), points(b)];
      const at = left.findIndex((point, n) => point !== right[n]);
      const expected = at < 0 ? left.length - right.length : left[at]! - (right[at] ?? -1);
      assert.equal(Math.sign(compareCodePoints(a, b)), Math.sign(expected));
    }),
  );
});
