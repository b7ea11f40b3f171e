import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { ROOT } from '../house/tracked-files.ts';

/** Represents a value in a message, in the sources as on the page. */
const value = '…';

/** The text of an expression with {@link value} for what is not known before the program runs. */
function textOf(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => value + literal.text).join('');
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return textOf(node.left) + textOf(node.right);
  return value;
}

function textsOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== value) found.push(text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function messagesOf(page: string): string[] {
  return [...page.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, message = '']) => message);
}

function missing(messages: readonly string[], texts: readonly string[]): string[] {
  return messages.filter((message) => !texts.some((text) => text.includes(message)));
}

describe('docs/operate/troubleshooting.md', () => {
  const page = readFileSync(join(ROOT, 'docs/operate/troubleshooting.md'), 'utf8');
  const messages = messagesOf(page);
  const files = globSync('packages/{cli,server}/{*.cjs,src/**/*.ts}', { cwd: ROOT });
  const texts = files
    .filter((path) => !path.includes('test'))
    .flatMap((path) => textsOf(join(ROOT, path)));

  test('quotes only messages of the product, each once', () => {
    assert.deepEqual(missing(['The moon is full'], texts), ['The moon is full']);
    assert.deepEqual(missing(messages, texts), []);
    assert.ok(messages.length >= 20, `${messages.length} messages`);
    assert.equal(new Set(messages).size, messages.length);
  });
});
