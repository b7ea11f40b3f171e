import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import { readTextFiles } from './tracked-files.ts';

/** Attributes whose text people read or hear. */
const shown = new Set([
  ...[
    'alt',
    'aria-description',
    'aria-label',
    'aria-valuetext',
    'hint',
    'label',
    'placeholder',
    'title',
  ],
]);
/** Codes of currencies are the same in every language. */
const hasWord = (text: string): boolean => /\p{L}{2}/u.test(text) && !/^[A-Z]{3}$/.test(text);

/** Returns the texts that a file of the UI shows and that are not in the catalogue. */
function textsIn(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = shownText(node);
    if (text !== null && hasWord(text)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${path}:${line + 1}: ${text.trim()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The literal text that a node of JSX shows; null if it shows none. */
function shownText(node: ts.Node): string | null {
  if (ts.isJsxText(node)) return node.text;
  if (ts.isJsxAttribute(node) && shown.has(node.name.getText())) {
    const { initializer } = node;
    if (initializer !== undefined && ts.isStringLiteral(initializer)) return initializer.text;
  }
  const { parent } = node;
  const isChild = ts.isJsxExpression(node) && (ts.isJsxElement(parent) || ts.isJsxFragment(parent));
  if (!isChild || node.expression === undefined) return null;
  const { expression } = node;
  return ts.isStringLiteralLike(expression) ? expression.text : null;
}

test('every text of the browser UI is in the catalogue, so that it has every language', () => {
  const files = readTextFiles().filter(({ path }) => /^packages\/web\/src\/.*\.tsx$/.test(path));
  assert.ok(files.length > 50);
  const found = files.flatMap(({ path, text }) => textsIn(path, text));
  assert.deepEqual(found, []);
});

test('a text in the code is found', () => {
  const source = `const a = <p title="Hello there">{'More'} words {name}<b label={t.x}>1</b></p>;`;
  assert.deepEqual(textsIn('a.tsx', source), [
    'a.tsx:1: Hello there',
    'a.tsx:1: More',
    'a.tsx:1: words',
  ]);
});
