import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { Type, type TString } from 'typebox';
import { cofferReferenceFolder, referenceFolder } from '../documents.ts';
import { described, describedCoffer } from '../../packages/server/src/resources/index.ts';
import { tags } from '../../packages/server/src/wire/operation.ts';
import { anchor, table, wrap } from './markdown.ts';
import { referencePages } from './pages.ts';
import { objectBlocks, tagsOfComponents } from './objects.ts';

const pages = referencePages(described);
const firstPage = pages.get('README.md') ?? '';

test('each folder has the first page and a page for each tag, and no other file', () => {
  for (const [source, folder] of [
    [described, referenceFolder],
    [describedCoffer, cofferReferenceFolder],
  ] as const) {
    const used = new Set(source.operations.map(({ declaration }) => `${declaration.tag}.md`));
    const ofTags = Object.keys(tags).map((tag) => `${tag}.md`);
    const names = ['README.md', ...ofTags.filter((name) => used.has(name))];
    assert.deepEqual([...referencePages(source).keys()], names);
    assert.deepEqual(readdirSync(folder).sort(), names.sort());
  }
});

test('every operation is on the page of its tag, and the first page links to it', () => {
  for (const { method, declaration } of described.operations) {
    const heading = `${method} ${declaration.path}`;
    assert.ok(pages.get(`${declaration.tag}.md`)?.includes(`\n## ${heading}\n`), heading);
    assert.ok(firstPage.includes(`](${declaration.tag}.md#${anchor(heading)})`), heading);
  }
});

test('every object is on one page: that of its tag, or the first when several tags use it', () => {
  const tagsOf = tagsOfComponents(described);
  for (const name of Object.keys(described.components)) {
    const [tag = '', another] = tagsOf.get(name) ?? [];
    const home = another === undefined ? `${tag}.md` : 'README.md';
    const found = [...pages].filter(([, text]) => text.includes(`\n### ${name}\n`));
    assert.deepEqual(
      found.map(([page]) => page),
      [home],
      name,
    );
  }
  const currency = [...(tagsOf.get('Currency') ?? [])];
  assert.deepEqual([currency[0], currency.at(-1)], ['transactions', 'me']);
});

/** A component with the keys; each key has the description that `changes` gives, or its own name. */
function component(keys: string, changes: Readonly<Record<string, string>> = {}) {
  const properties = [...keys].map((key) => [
    key,
    Type.String({ description: changes[key] ?? key }),
  ]);
  return Type.Object(Object.fromEntries(properties) as Record<string, TString>);
}

test('an object like an earlier one shows only its differences', () => {
  const components = {
    Whole: component('abcde'),
    Part: component('abcd'),
    Changed: component('abcdef', { e: 'Other' }),
    Other: component('abcxyz'),
  };
  const blocks = objectBlocks(Object.keys(components), components, (name) => name);
  assert.ok(blocks.includes('The keys of [Whole](#whole) without `e`.'));
  assert.ok(blocks.includes('The keys of [Whole](#whole). These differ or are new:'));
  const tables = blocks.filter((block) => block.startsWith('| Key'));
  assert.deepEqual(
    tables.map((text) => [...text.matchAll(/`(\w)`/g)].map(([, key]) => key).join('')),
    ['abcde', 'ef', 'abcxyz'],
  );
});

test('Markdown: tables escape bars, paragraphs are wrapped, anchors are those of web pages', () => {
  assert.equal(table(['A'], [['x | y']]), '| A |\n| --- |\n| x \\| y |');
  assert.equal(table(['A'], []), '');
  const text = 'word '.repeat(60).trim();
  const lines = wrap(text, '  ').split('\n');
  assert.ok(lines.length > 2 && lines.every((line) => line.length <= 120));
  assert.ok(lines.slice(1).every((line) => line.startsWith('  word')));
  assert.equal(lines.map((line) => line.trim()).join(' '), text);
  assert.equal(anchor('GET /v2/tags/{id}'), 'get-v2tagsid');
});
