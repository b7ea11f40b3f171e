import { readStatement } from '../../packages/statements/src/read-statement.ts';
import { StatementError } from '../../packages/statements/src/statement/statement-error.ts';
import type { StatementOptions } from '../../packages/statements/src/statement/statement.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sourceOf } from '../../packages/statements/src/testing/sources.ts';
import { Outputs } from './approved.ts';

interface Fixture {
  readonly text: string;
  readonly options?: StatementOptions;
}

/** Files of the tests of the room: each is a line with a text, and the options to read it with. */
const fixtures = readFileSync(join(import.meta.dirname, 'fixtures/statements.ndjson'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Fixture);

/** What a bank or a person could have done to a file. */
const changes: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'without its last line': (text) => text.replace(/[^\r\n]+[\r\n]*$/, ''),
  'with its last line twice': (text) => text.replace(/([^\r\n]+)([\r\n]*)$/, '$1\n$1$2'),
  'with other decimal signs': (text) =>
    text.replaceAll(/(?<=\d)[.,](?=\d\d\b)/g, (sign) => (sign === '.' ? ',' : '.')),
  'with larger amounts': (text) => text.replaceAll(/(?<=\d)(?=[.,]\d\d\b)/g, '750'),
  'with other signs': (text) =>
    text.replaceAll(/(?<![\w-])-(?=\d)/g, '').replaceAll(/\+(?=\d)/g, '-'),
};

/** Returns everything that is read from a file, or why it is refused. */
function read({ text, options = {} }: Fixture): string {
  try {
    const statement = readStatement(sourceOf(text), options);
    return sorted({ ...statement, entries: [...statement.entries()] });
  } catch (error) {
    if (!(error instanceof StatementError)) return String(error);
    const { message, problems } = error;
    return `refused ${sorted({ message, problems })}`;
  }
}

/** JSON in which the order of properties does not matter. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(
      Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}

test('the files of the tests of statements, and changed ones, are read as approved', () => {
  const outputs = new Outputs();
  for (const [n, fixture] of fixtures.entries()) {
    for (const [name, change] of Object.entries(changes)) {
      const text = change(fixture.text);
      if (text === fixture.text && name !== 'as it is') continue;
      outputs.add(`${n + 1} ${name}`, read({ ...fixture, text }));
    }
  }
  outputs.approve('statements', 60);
});
