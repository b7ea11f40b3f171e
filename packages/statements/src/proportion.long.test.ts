/*
 * Reads texts that a careless reader would scan again and again. The processor time for a text eight times as long may
 * be four times the proportional one; quadratic time would be eight times that.
 */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { detectFormat } from './bytes/detect-format.ts';
import { readStatement } from './read-statement.ts';
import { StatementError } from './statement/statement-error.ts';
import type { StatementOptions } from './statement/statement.ts';
import { camtEntry, camtStatement, camtText } from './testing/camt-text.ts';
import { mtText } from './testing/mt-text.ts';
import { ofxEntry, ofxText } from './testing/ofx-text.ts';
import { sourceOf } from './testing/sources.ts';

const times = 8;
const shortLength = 40_000;
/** A collection of garbage, or a machine that is slower for a moment, is not in the best of so many turns. */
const turns = { least: 3, most: 12 };
const leastUs = 2000;

function timeUs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function read(text: string, format: StatementOptions['format']): void {
  try {
    const statement = readStatement(sourceOf(text), format === undefined ? {} : { format });
    assert.equal([...statement.entries()].length, statement.entryCount);
  } catch (error) {
    assert.ok(error instanceof StatementError, String(error));
  }
}

function assertProportional(what: string, shape: string, work: (text: string) => void): void {
  const texts = [shortLength, shortLength * times].map((length) =>
    shape.repeat(Math.ceil(length / shape.length)),
  );
  const best = [Infinity, Infinity];
  work(texts[0]!);
  for (let turn = 1; turn <= turns.most; turn += 1) {
    for (const [at, text] of texts.entries())
      best[at] = Math.min(
        best[at]!,
        timeUs(() => work(text)),
      );
    if (turn >= turns.least && best[1]! < 4 * times * Math.max(best[0]!, leastUs)) return;
  }
  assert.fail(`${what} ${JSON.stringify(shape)}: ${best[1]} µs after ${best[0]} µs`);
}

const camt = camtText({ statements: [camtStatement([camtEntry()])] });
const ofx = ofxText([{ entries: [ofxEntry({ NAME: 'Shop' })] }]);
const shapes: Readonly<Record<string, readonly string[]>> = {
  camt: [
    '<Ustrd>&amp;&#65;</Ustrd>',
    '<!-- - -- ><![CDATA[ ]] ]>]]> -->x',
    `<Ustrd>${' '.repeat(200)}</Ustrd>`,
    '<a><b><c/></b></a>',
    '</Ntry><Ntry><AcctSvcrRef>ABCDE</AcctSvcrRef>',
    '<?x y?>',
  ],
  ofx: [
    '<NAME>< <1 </ <! ',
    '<NAME>x<a<a<a<a<a',
    '<NAME>x&&#&#x&amp&quot',
    `<MEMO>${' '.repeat(200)}\r\n\t`,
    '<X>1<Y>2<NAME>3<PAYEE>4',
    '</X></PAYEE></CURRENCY>',
    '<NAME>x<!-- - -- > --><![CDATA[ ]] ]>]]><?x ?>',
    '</STMTTRN><STMTTRN><DTPOSTED>20240101<TRNAMT>1<FITID>ABCDE',
  ],
  mt940: ['?20', '/', '/NAME/', 'SVWZ', ' ', '\n ', 'a  ', '166?', '~', '\u0001', 'NAAM: ', ':'],
  qif: ["1/1'", ' ', '/', '[', ']', '.', "'", '-', '1,', '1 '],
  ledger: ['; a: b: c: d, ', ':a', '[2024/', 'a|b | ', '((((', '"', '  ', '\t', 'x  y', '{', '@@ '],
  csv: ['a\n', 'a: 1\n', 'a,1\n', 'a;"1"\n', '2024-01-01,1\n'],
  detection: ['  a b', ' x:', '\t', ' 1', '{', '2024-01-01 open a', '; ', '\n', ' \n', 'a  ', ' |'],
};
const files: Readonly<Record<string, (text: string) => void>> = {
  camt: (text) =>
    read(
      camt.replace('</Ntry>', () => `${text}</Ntry>`),
      'camt',
    ),
  ofx: (text) =>
    read(
      ofx.replace('<NAME>Shop', () => text),
      'ofx',
    ),
  mt940: (text) => {
    for (const details of [`166?20${text}x`, `${text}x`, `/NAME/${text}x`])
      read(mtText({ entries: [{ details: details.replaceAll('\n:', '\n') }] }), 'mt940');
  },
  qif: (text) => {
    for (const code of ['D', 'T', 'L', 'P', '%', 'N']) {
      const field = `${code}${text}x`;
      read(`!Type:Bank\nD2024-01-31\nT1\n^\n${field}\nSA\n%1\nSB\n${field}\n^\n`, 'qif');
    }
  },
  ledger: (text) => {
    for (const file of [
      `2024-01-01 * ${text}\n`,
      `2024-01-01 *\n  a${text}\n  b\n`,
      `alias ${text}x`,
    ])
      for (const format of ['ledger', 'beancount'] as const) read(file, format);
  },
  csv: (text) => {
    let lines = 0;
    read(
      text.replaceAll('\n', () => `\n${(lines += 1)}`),
      'csv',
    );
  },
  detection: (text) => {
    for (const file of [`2024/1/1 x\n a${text}\n`, text, text.replaceAll(/(.{12})/g, '$1\n')])
      detectFormat(Buffer.from(file));
  },
};

for (const [what, all] of Object.entries(shapes))
  it(`${what} takes time in proportion to its length`, () => {
    for (const shape of all) assertProportional(what, shape, files[what]!);
  });
