import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { COLUMN_KEYS, parseColumnMap } from './column-map.ts';

describe('parseColumnMap', () => {
  it('reads names, numbers and quoted names', () => {
    assert.deepEqual(
      parseColumnMap('date=Datum, Amount = 4,payee="Name, first", notes="a ""b"""'),
      {
        date: 'Datum',
        amount: '4',
        payee: 'Name, first',
        notes: 'a "b"',
      },
    );
  });

  it('reads back any map that was printed with quotes', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '');
    const map = fc.dictionary(fc.constantFrom(...COLUMN_KEYS), name, { minKeys: 1 });
    fc.assert(
      fc.property(map, (columns) => {
        const parts = Object.entries(columns).map(
          ([key, column]) => `${key}="${column.replaceAll('"', '""')}"`,
        );
        assert.deepEqual(parseColumnMap(parts.join(',')), { ...columns });
      }),
    );
  });

  it('names the invalid part and the known keys', () => {
    const cases = {
      'date=1,sum=2': 'part "sum=2" has an unknown key',
      'date=1,date=2': 'part "date=2" repeats the key "date"',
      'date=': 'part "date=" has no column',
      'date=" "': 'part "date=" "" has no column',
      'date=1,amount': 'part "amount" does not have the form key=column',
      'date=1,,amount=2': 'part ",amount=2" does not have the form key=column',
      'payee="open': 'part "payee="open" does not have the form key=column',
      'payee=a"b': 'part "payee=a"b" does not have the form key=column',
      'date=1,': 'part "" is empty',
      '': 'part "" does not have the form key=column',
    };
    for (const [text, reason] of Object.entries(cases)) {
      const message = `Column map: ${reason}. The keys are ${COLUMN_KEYS.join(', ')}`;
      assert.throws(() => parseColumnMap(text), { name: 'RangeError', message }, text);
    }
  });

  it('returns a map or throws a RangeError for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[dateamount=," 1]{0,40}$/)), (text) => {
        try {
          assert.ok(Object.values(parseColumnMap(text)).every((column) => column.trim() !== ''));
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
      }),
    );
  });
});
