import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { readStatement } from '../read-statement.ts';
import { StatementError } from '../statement-error.ts';
import type { Entry, StatementOptions } from '../statement.ts';
import { sourceOf } from '../testing/sources.ts';
import { expected, rowArbitrary, styleArbitrary, written, type Style } from './testing/tables.ts';
import { runs } from '../../../core/src/testing/length.ts';

function entriesOf(text: string, options: StatementOptions) {
  const statement = readStatement(sourceOf(text), { format: 'csv', ...options });
  return [...statement.entries()].map(({ date, amount, payee, isPending = false }: Entry) => ({
    ...{ date, amount, payee, isPending },
  }));
}

const NAMES_A_FLAG = /--map|--negate|map the columns|specify the (?:date format|decimal sign)/;

/** Reads a file like a user: after a refusal, with the flags that it names; null if it names another flag. */
function readWithFlags(text: string, style: Style, options: StatementOptions) {
  for (let tries = 0, given = options; ; tries += 1) {
    try {
      return { entries: entriesOf(text, given), tries };
    } catch (error) {
      assert.ok(error instanceof StatementError && tries < 3, `${String(error)}\n${text}`);
      const reasons = error.problems.map(({ reason }) => reason).join('\n');
      assert.match(reasons, NAMES_A_FLAG, `${reasons}\n${text}`);
      const needsDate = reasons.includes('specify the date format');
      const needsDecimal = reasons.includes('specify the decimal sign');
      if (!needsDate && !needsDecimal) return null;
      given = {
        ...given,
        ...(needsDate ? { dateFormat: style.order } : {}),
        ...(needsDecimal ? { decimal: style.decimal } : {}),
      };
    }
  }
}

it('reads back a statement of any language and dialect, or names the flag that decides', () => {
  const rows = fc.array(rowArbitrary, { minLength: 1, maxLength: 12 });
  const counts = { plain: 0, flags: 0, refused: 0 };
  fc.assert(
    fc.property(rows, styleArbitrary, (unsorted, style) => {
      const sorted = unsorted.toSorted((a, b) => a.day - b.day);
      const options = style.money === 'negated' ? { negate: true } : {};
      const text = written(sorted, style);
      const read = readWithFlags(text, style, options);
      if (read === null) counts.refused += 1;
      else if (read.tries > 0) counts.flags += 1;
      else counts.plain += 1;
      if (read !== null) assert.deepEqual(read.entries, expected(sorted, style), text);
    }),
    { numRuns: runs(1500) },
  );
  const total = counts.plain + counts.flags + counts.refused;
  assert.ok(counts.plain > total * 0.75 && counts.refused <= total * 0.04, JSON.stringify(counts));
});
