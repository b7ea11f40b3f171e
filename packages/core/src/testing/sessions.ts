import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, describe, it } from 'node:test';

/** A line of a session that does something: its first word, what is behind it, and the lines below it. */
export interface Step {
  readonly line: string;
  readonly kind: string;
  readonly text: string;
  lines: string[];
}

const isApproving = process.env['COFFER_APPROVE'] === '1';

/**
 * Makes tests of the sessions in a folder: of each line `# Title` or `## Title` with the steps below it, which `perform`
 * gets after the title and the steps above the first title. `starts` matches at the begin of each step. With
 * `COFFER_APPROVE=1` the files are written again.
 */
export function runSessions(
  folder: string,
  starts: RegExp,
  perform: (steps: readonly Step[]) => Promise<void>,
): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const [common = [], ...sections] = sectionsOf(readFileSync(file, 'utf8'), starts);
    describe(basename(name, '.txt'), () => {
      for (const [title, ...steps] of sections)
        it(title!.text, () => perform([title!, ...common, ...steps]));
      after(() => {
        if (isApproving) writeFileSync(file, textOf([common, ...sections]));
      });
    });
  }
}

function sectionsOf(session: string, starts: RegExp): Step[][] {
  const sections: Step[][] = [[]];
  for (const part of session.split(starts).filter((each) => each !== '')) {
    const [line = '', ...lines] = part.trimEnd().split('\n');
    const [, kind = '', text = ''] = /^(\S+) (.*)$/.exec(line)!;
    if (/^##?$/.test(kind)) sections.push([]);
    sections.at(-1)!.push({ line, kind, text, lines });
  }
  return sections;
}

function textOf(sections: readonly (readonly Step[])[]): string {
  const texts = sections
    .filter(({ length }) => length > 0)
    .map((steps) => steps.map(({ line, lines }) => [line, ...lines].join('\n')).join('\n'));
  return `${texts.join('\n\n')}\n`;
}

/** Fails unless the lines below a step are expected; with `COFFER_APPROVE=1` they become so. */
export function expectPrinted(step: Step, printed: readonly string[]): void {
  if (isExpected(step.lines, printed)) return;
  if (isApproving) step.lines = [...printed];
  else assert.deepEqual(printed, step.lines, step.line);
}

/** "…" is any text of a line; in a line of its own, any lines. */
function isExpected(expected: readonly string[], printed: readonly string[]): boolean {
  const pattern = expected.map((line) => {
    const plain = line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.+');
    return line === '…' ? '(.*\n)*?' : `${plain}\n`;
  });
  return new RegExp(`^${pattern.join('')}$`).test(printed.map((line) => `${line}\n`).join(''));
}
