/*
 * Approved outputs: what the product responds, shows and prints in many cases, kept in files next to the tests.
 *
 * A test fails when a case gives another output. After a wanted change, `COFFER_APPROVE=1` writes the files again, and
 * the commit shows what changed. See docs/decisions/077-approved-outputs.md.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const isApproving = process.env['COFFER_APPROVE'] === '1';
/** How many differing cases a failure shows, and how much of the output of each. */
const mostCases = 12;
const mostShown = 1500;
const advice = 'If that is wanted, run this test again with COFFER_APPROVE=1';
/** Of refusals. */
const usualStart = /(?<=^4\d\d) \{"message":"[^"]*","errors":\[\{"errMsg":/;

/** Outputs by case. A case that is added twice gets a number. */
export class Outputs {
  readonly #texts = new Map<string, string>();

  add(name: string, output: string): void {
    let key = name;
    for (let n = 2; this.#texts.has(key); n += 1) key = `${name} (${n})`;
    this.#texts.set(key, output);
  }

  /**
   * Compares the outputs with those of `texts/NAME.txt`: a line for each case, with the case, a digest of the output,
   * and its first `shown` characters. The order of the cases does not matter.
   */
  approve(name: string, shown: number): void {
    const lines = new Map<string, string>();
    for (const [key, text] of this.#texts) lines.set(key, lineOf(key, text, shown));
    const file = join(import.meta.dirname, 'texts', `${name}.txt`);
    if (isApproving) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, [...lines.values(), ''].join('\n'));
    }
    const approved = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    const known = new Map(approved.map((line) => [line.slice(0, line.indexOf(' | ')), line]));
    const problems = [
      ...[...lines].flatMap(([key, line]) =>
        known.get(key) === line
          ? []
          : [`- ${known.get(key)}\n+ ${line}\n  ${this.#texts.get(key)!.slice(0, mostShown)}`],
      ),
      ...[...known].flatMap(([key, line]) => (lines.has(key) ? [] : [`- ${line}`])),
    ];
    const rest = problems.length > mostCases ? `\n… and ${problems.length - mostCases} more` : '';
    assert.ok(
      problems.length === 0,
      `${problems.length} outputs of ${name} differ. ${advice}\n${problems.slice(0, mostCases).join('\n')}${rest}`,
    );
  }
}

/** Compares lines with those of `texts/NAME.txt`, which has all of them. */
export function approveLines(name: string, lines: readonly string[]): void {
  const file = join(import.meta.dirname, 'texts', `${name}.txt`);
  if (isApproving) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, [...lines, ''].join('\n'));
  }
  const approved = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  const [here, there] = [new Set(lines), new Set(approved)];
  const problems = [
    ...approved.filter((line) => !here.has(line)).map((line) => `- ${line}`),
    ...lines.filter((line) => !there.has(line)).map((line) => `+ ${line}`),
  ];
  const isSame = lines.join('\n').trimEnd() === approved.join('\n');
  const shown = problems.slice(0, 5 * mostCases).join('\n');
  assert.ok(isSame, `${name} differs. ${advice}\n${shown === '' ? 'The order' : shown}`);
}

function lineOf(key: string, text: string, shown: number): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const plain = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').replace(usualStart, ' ');
  return `${key} | ${digest} | ${plain.slice(0, shown).trimEnd()}`;
}
