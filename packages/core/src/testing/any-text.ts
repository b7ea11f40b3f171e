import * as fc from 'fast-check';

/** One code point of Unicode, one in three of them of ASCII; no half of a surrogate pair. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map(
    (point) => String.fromCodePoint(point),
    (character) => (character as string).codePointAt(0)!,
  );

/**
 * Any text of such characters. It is `{ unit: 'binary' }` of fast-check without its table of all characters, which
 * takes a second and a hundred megabytes in each process.
 */
export function anyText(constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: anyCharacter });
}
