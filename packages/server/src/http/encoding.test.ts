import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodingOf } from './send.ts';
import { runs } from '../../../core/src/testing/length.ts';

/** What the property below does not have: odd forms, and no header. */
const examples: readonly (readonly [string | undefined, string | null])[] = [
  [undefined, null],
  ['', null],
  ['GZip', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip;q=1.0, br;q=0.9, zstd;q=0.8', 'gzip'],
  ['gzip ; q=0.5 , br ; Q=0.501', 'br'],
  ['gzip;q=0', null],
  ['gzip;q=0.', null],
  ['gzip;q=1.', 'gzip'],
  ['identity;q=0, *', 'gzip'],
  [', gzip,,', 'gzip'],
];

test('a header chooses a coding, and one that is not valid chooses none', () => {
  for (const [header, encoding] of examples)
    assert.equal(encodingOf(header), encoding, `${header}`);
  for (const header of [
    'gzip;q=2',
    'gzip;q=1.001',
    'gzip;q=-1',
    'gzip;q=0.0001',
    'gzip;q=',
    'gzip;q',
    'gzip;',
    'gzip;q=1;q=0',
    'gzip;level=1',
    'gzip q=1',
    'gzip br',
    'gzip;q =1',
    'gzip;q=1e0',
    '"gzip"',
    'gzip, @',
    'gzip\u00A0',
    'gzip\u0000',
    'gz\u0130p',
    ';q=1',
    'gzip;q=0x1',
    'gzip;q=.5',
    '/',
  ]) {
    assert.equal(encodingOf(header), null, header);
    assert.equal(encodingOf(`br, ${header}`), null, header);
  }
});

const names = ['gzip', 'x-gzip', 'br', 'zstd', 'identity', '*', 'deflate', 'sdch'] as const;
const listed = fc.record({
  name: fc.constantFrom(...names),
  thousandths: fc.option(fc.oneof(fc.constantFrom(0, 1, 500, 1000), fc.nat(1000))),
  space: fc.constantFrom('', ' ', '\t'),
});
type Listed = typeof listed extends fc.Arbitrary<infer T> ? T : never;

function written({ name, thousandths, space }: Listed): string {
  if (thousandths === null) return `${space}${name}${space}`;
  const weight = (thousandths / 1000).toFixed(3);
  return `${name}${space};${space}q=${weight}`;
}

/** The weight that the header gives a coding, in thousandths: its own, else that of `*`; undefined without both. */
function modelWeight(list: readonly Listed[], names: readonly string[]): number | undefined {
  const weights = (all: readonly string[]) =>
    list.filter(({ name }) => all.includes(name)).map(({ thousandths }) => thousandths ?? 1000);
  const own = weights(names);
  const found = own.length > 0 ? own : weights(['*']);
  return found.length > 0 ? Math.min(...found) : undefined;
}

test('a coding that is sent is acceptable, and no other that we send is preferred', () => {
  fc.assert(
    fc.property(fc.array(listed, { maxLength: 8 }), (list) => {
      const encoding = encodingOf(list.map(written).join(','));
      const isListed = (name: string) => list.some((each) => each.name === name);
      const identity = modelWeight(list, ['identity']) ?? 0;
      const gzip = modelWeight(list, ['gzip', 'x-gzip']) ?? 0;
      const own = { gzip, br: 0, zstd: 0 };
      for (const name of ['br', 'zstd'] as const)
        if (isListed(name)) own[name] = modelWeight(list, [name])!;
      const best = Math.max(...Object.values(own));
      if (best === 0 || best < identity) assert.equal(encoding, null);
      else {
        const among = (['zstd', 'br', 'gzip'] as const).filter((name) => own[name] === best);
        assert.equal(encoding, among[0]);
      }
    }),
    { numRuns: runs(5000) },
  );
});

test('the time depends on the length of a header only', () => {
  // Backtracking over one of these would take minutes.
  const long = 1_000_000;
  for (const header of [
    `${' '.repeat(long)}?`,
    `gzip${' \t'.repeat(long)}?`,
    `gzip;${' '.repeat(long)}?`,
    `${'g'.repeat(long)}?`,
    `${'gzip,'.repeat(long)}?`,
    `${','.repeat(long)}?`,
    `gzip;q=0.${'0'.repeat(long)}`,
  ])
    assert.equal(encodingOf(header), null);
});
