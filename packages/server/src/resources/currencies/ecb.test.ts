import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { pick } from '../../http/testing/pick.ts';
import { parseRates, RatesFileError } from './ecb.ts';
import type { RatesProblem } from './ecb.ts';
import { normalRate } from './rules.ts';
import { runs } from '../../../../core/src/testing/length.ts';
import { zipBytes } from '../../../../statements/src/testing/zip-bytes.ts';

const history = [
  'Date,USD,JPY,CYP,TRY,',
  '2026-11-20,1.1595,182.10,N/A,49.1234,',
  '2026-11-19,1.1600,N/A,N/A,,',
  '1999-01-04,1.1789,133.73,0.58231,N/A,',
  '',
].join('\n');
const daily = 'Date, USD, JPY, \r\n20 November 2026, 1.1595, 182.10, \r\n';

const bytesOf = (text: string): Buffer => Buffer.from(text);

function ratesIn(file: Uint8Array): Record<string, Record<string, string>> {
  const { rates } = parseRates(file);
  return Object.fromEntries([...rates].map(([code, series]) => [code, Object.fromEntries(series)]));
}

function problemsOf(file: Uint8Array): readonly RatesProblem[] {
  try {
    parseRates(file);
  } catch (error) {
    assert.ok(error instanceof RatesFileError, String(error));
    assert.ok(error.problemCount >= error.problems.length);
    return error.problems;
  }
  assert.fail('The file was accepted');
}

const csv = { name: 'eurofxref.csv', content: bytesOf(history) };

describe('a file of exchange rates', () => {
  it('is read as the European Central Bank publishes it, of one day or of many', () => {
    assert.deepEqual(ratesIn(bytesOf(history)), {
      usd: { '2026-11-20': '1.1595', '2026-11-19': '1.16', '1999-01-04': '1.1789' },
      jpy: { '2026-11-20': '182.1', '1999-01-04': '133.73' },
      try: { '2026-11-20': '49.1234' },
    });
    assert.deepEqual(parseRates(bytesOf(history)).skippedColumns, ['CYP']);
    assert.deepEqual(ratesIn(bytesOf(`\ufeff\n${daily}`)), {
      usd: { '2026-11-20': '1.1595' },
      jpy: { '2026-11-20': '182.1' },
    });
    assert.deepEqual(ratesIn(bytesOf('Date,EUR,USD\n2026-01-01,2,3\n')), {
      usd: { '2026-01-01': '3' },
    });
  });

  it('is found in a ZIP archive, also with a comment, and unpacked from gzip', () => {
    const plain = ratesIn(bytesOf(history));
    const other = { name: 'readme.txt', content: bytesOf('x') };
    for (const packed of [
      gzipSync(history),
      zipBytes([csv]),
      zipBytes([{ ...csv, isStored: true }]),
      zipBytes([other, csv], 'PK\x05\x06 and more'.repeat(3)),
    ])
      assert.deepEqual(ratesIn(packed), plain);
  });

  it('is refused when it is damaged or has not one CSV file', () => {
    const zip = zipBytes([csv]);
    const wrong = Buffer.from(zip);
    wrong.writeUInt32LE(crc32('x'), zip.indexOf('PK\x01\x02') + 16);
    // The size that the directory has, which is read before anything is unpacked.
    const bomb = Buffer.from(zip);
    bomb.writeUInt32LE(65 * 2 ** 20, zip.indexOf('PK\x01\x02') + 24);
    const cases: [Uint8Array, RegExp][] = [
      [zipBytes([]), /./],
      [zipBytes([{ ...csv, name: 'a.txt' }]), /no CSV file.*unzip/],
      [zipBytes([csv, { ...csv, name: 'b.csv' }]), /2 CSV files.*unzip/],
      [zipBytes([{ ...csv, flags: 1 }]), /encrypted.*unzip/],
      [wrong, /ZIP archive is damaged/],
      [bomb, /longer than 64 MiB/],
      [gzipSync(Buffer.alloc(65 * 2 ** 20)), /longer than 64 MiB/],
      [gzipSync(history).subarray(0, 30), /gzip file is damaged/],
      [Buffer.from([0xff, 0xfe, 0x41]), /not UTF-8/],
    ];
    for (const [file, reason] of cases) {
      const [problem] = problemsOf(file);
      assert.match(problem!.reason, reason);
    }
    for (let length = 4; length < zip.length; length += 1)
      assert.equal(problemsOf(zip.subarray(0, length)).length, 1);
  });

  it('is refused with the place and the value of each problem', () => {
    const lines = [
      'Date,USD,USD,JPY,',
      '2026-02-30,1.1,1,2,',
      '2026-02-27,0,-1,1e5,',
      '30 Febuary 2026,1,1,1,',
      '2026-02-26,1,1',
      '2026-02-27,1,1,1,1,1',
      '',
      '2026-02-25,1,1,1.12345678901234567',
    ];
    const problems = problemsOf(bytesOf(lines.join('\n')));
    assert.deepEqual(pick(problems, 'line', 'column', 'value', 'reason'), [
      [1, 'USD', null, 'The header has this column twice'],
      [2, 'Date', '2026-02-30', 'Not a date'],
      [3, 'USD', '0', 'Not a rate'],
      [3, 'USD', '-1', 'Not a rate'],
      [3, 'JPY', '1e5', 'Not a rate'],
      [4, 'Date', '30 Febuary 2026', 'Not a date'],
      [5, null, null, 'Has 3 cells, but the header has 4'],
      [6, 'Date', '2026-02-27', 'Is also on line 3'],
      [6, null, null, 'Has 6 cells, but the header has 4'],
      [8, 'JPY', '1.12345678901234567', 'Not a rate'],
    ]);
    for (const text of ['', '\n\n', 'USD,JPY\n', 'Date\n', '<html>', '\0'])
      assert.match(problemsOf(bytesOf(text))[0]!.reason, /^Not a header/, JSON.stringify(text));
    const many = ['Date,USD', ...Array.from({ length: 150 }, () => `x,${'9'.repeat(999)}`)];
    assert.throws(() => parseRates(bytesOf(many.join('\n'))), { problemCount: 300 });
    assert.equal(problemsOf(bytesOf(many.join('\n'))).length, 100);
  });

  it('never fails in another way, whatever the bytes are', () => {
    const attempt = (file: Uint8Array): void => {
      try {
        parseRates(file);
      } catch (error) {
        assert.ok(error instanceof RatesFileError, String(error));
      }
    };
    const zip = zipBytes([csv]);
    fc.assert(
      fc.property(fc.nat(zip.length - 1), fc.nat(255), fc.uint8Array(), (at, byte, rest) => {
        const changed = Buffer.from(zip);
        changed[at] = byte;
        attempt(changed);
        attempt(Buffer.concat([bytesOf('PK\x03\x04'), rest]));
        attempt(Buffer.concat([bytesOf('Date,USD\n'), rest]));
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('a rate', () => {
  it('is stored without needless zeros, and keeps its value', () => {
    const digits = fc.stringMatching(/^[0-9]{1,15}$/);
    fc.assert(
      fc.property(digits, digits, fc.nat(5), fc.nat(5), (units, fraction, before, after) => {
        const text = `${'0'.repeat(before)}${units}.${fraction}${'0'.repeat(after)}`;
        const isZero = BigInt(units + fraction) === 0n;
        const whole = BigInt(units).toString();
        const rest = fraction.replace(/0+$/, '');
        assert.equal(normalRate(text), isZero ? null : rest === '' ? whole : `${whole}.${rest}`);
      }),
    );
    for (const text of ['', '0', '.5', '5.', '+1', '-1', '1,5', '1 ', 'NaN', '1e3', '0x1', '1.2.3'])
      assert.equal(normalRate(text), null, text);
  });
});
