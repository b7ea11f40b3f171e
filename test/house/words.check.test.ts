import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { readTextFiles, type TextFile } from './tracked-files.ts';

/** Words and phrases that documents, messages and comments do not use, each with the word of the field. */
const forbidden: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\b(tell|tells|telling|told)\b/i, 'detect, show, report, notify'],
  [/\b(whom|whoever)\b/i, 'name the person or program'],
  [/\banew\b/i, 'again'],
  [/\bimmortal\b/i, 'never expires'],
  [/\b(nobody's|(to|by) nobody)\b/i, 'no one'],
  [/\bput away\b/i, 'archived'],
  [/\banswer(s|ed|ing)?\b/i, 'response, respond, return'],
  [/\bquestions?\b/i, 'request'],
  [/\bthe law\b/i, 'the specification'],
  [/\bsource address(es)?\b/i, 'client address'],
  [/\bfor want of\b/i, 'because … is missing'],
  [/\bcomes? to [\d`]/i, 'is, Total:'],
  [/\bstands\b/i, 'is'],
  [/\bthat lives\b/i, 'valid'],
  [/\bnames none\b/i, 'does not name one'],
  [/\bmay not read them\b/i, 'has no access'],
  [/\bunbidden\b/i, 'without a request'],
  [/\bturns? logs over\b/i, 'rotate logs'],
  [/\bmoney that moved\b/i, 'transactions'],
  [/\b(beside|by itself)\b/i, 'next to, in addition to, while; automatically'],
];

/** Texts that are not ours to change: what banks, other programs and the specification call things. */
const quoted: readonly RegExp[] = [];

const CODE = /\.(cjs|js|tsx?)$/;
const TESTS = /\.test\.ts$|(^|\/)(test|testing|prove|bench)\//;
/** It lists the words. */
const SELF = 'test/house/words.check.test.ts';

interface Place {
  readonly line: number;
  readonly text: string;
}

/** The prose of a file: of Markdown all but code, of code comments, and string literals unless it is a test. */
function proseOf({ path, text }: TextFile): Place[] {
  if (CODE.test(path)) return proseOfCode(path, text);
  const isMarkdown = path.endsWith('.md');
  if (!isMarkdown && !path.startsWith('deploy/') && !path.endsWith('.html')) return [];
  const prose = isMarkdown
    ? text.replaceAll(/^ *```[^]*?^ *```$/gm, (code) => code.replaceAll(/[^\n]/g, ''))
    : text;
  return prose
    .split('\n')
    .map((line, at) => ({ line: at + 1, text: line.replaceAll(/`[^`]*`/g, '') }));
}

function proseOfCode(path: string, text: string): Place[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const places: Place[] = [];
  const add = (from: number, to: number): void => {
    const { line } = source.getLineAndCharacterOfPosition(from);
    text
      .slice(from, to)
      .split('\n')
      .forEach((part, at) => places.push({ line: line + at + 1, text: part }));
  };
  const seen = new Set<number>();
  const visit = (node: ts.Node): void => {
    for (const { pos, end } of commentsAround(text, node)) {
      if (!seen.has(pos)) add(pos, end);
      seen.add(pos);
    }
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && !TESTS.test(path)) add(node.getStart(), node.end);
    node.getChildren(source).forEach(visit);
  };
  visit(source);
  return places;
}

function commentsAround(text: string, node: ts.Node): readonly ts.CommentRange[] {
  return [
    ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
    ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
  ];
}

function faultsOf(file: TextFile): string[] {
  if (file.path === SELF || /openapi-(types|methods)/.test(file.path)) return [];
  return proseOf(file).flatMap(({ line, text }) =>
    forbidden
      .filter(([pattern]) => pattern.test(text) && !quoted.some((each) => each.test(text)))
      .map(
        ([pattern, instead]) =>
          `${file.path}:${line}: ${pattern.exec(text)?.[0]} (${instead}): ${text.trim()}`,
      ),
  );
}

describe('plain language', () => {
  const files = readTextFiles();
  const skip = files.length === 0 && 'this is not a git clone';

  test('a forbidden word is found in documents, comments and messages, and nowhere else', () => {
    const planted = [
      { path: 'a.md', text: 'Send a token that lives.\n' },
      { path: 'packages/a/src/a.ts', text: '// Mended by hand.\nconst a = 1;\n' },
      { path: 'packages/a/src/a.ts', text: "const a = { b: () => fail('Ask whom?') };\n" },
      { path: 'packages/a/src/a.ts', text: 'const a = `${b} was told`;\n' },
      { path: 'deploy/a.conf', text: '# unless told otherwise\n' },
    ];
    for (const file of planted) assert.equal(faultsOf(file).length, 1, file.text);
    const kept = [
      { path: 'a.md', text: '```sh\nmend\n```\n\nCall `tell()`.\n' },
      { path: 'packages/a/src/a.ts', text: 'const answer = tell(mend);\n' },
      { path: 'packages/a/src/a.test.ts', text: "test('is mended');\n" },
    ];
    assert.deepEqual(kept.flatMap(faultsOf), []);
  });

  test('the tree has none', { skip }, () => {
    assert.deepEqual(files.flatMap(faultsOf), []);
  });
});
