import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { document } from '../service/document-check.ts';
import { rules } from './rules.ts';

const folder = import.meta.dirname;
/** The files of the specification begin with the number of its part; the others hold what it leaves open. */
const files = globSync('[0-9]*.test.ts', { cwd: folder }).toSorted();
const namePattern = /^ *(?:test|it)\(\s*(['"])(.*?[^\\])\1/gms;

const names = files.flatMap((file) =>
  [...readFileSync(join(folder, file), 'utf8').matchAll(namePattern)].map(([, , name = '']) => ({
    file,
    name,
    rule: ruleOf(name),
  })),
);

/** The rule that a name begins with: of several the longest. */
function ruleOf(name: string): string | undefined {
  return rules
    .map(({ id }) => id)
    .filter((id) => name.startsWith(`${id} `))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** Counted in the specification itself, part by part: a rule that is dropped from the list must not go unseen. */
const statementsOfPart = { 1: 4, 2: 6, 4: 17, 5: 2, 7: 2, 8: 14, 9: 3 };

test('every statement of the specification is in the list', (t) => {
  const parts = Map.groupBy(rules, ({ id }) => Number(/^\d+/.exec(id)?.[0]));
  const counts = Object.fromEntries([...parts].map(([part, { length }]) => [part, length]));
  assert.deepEqual(counts, statementsOfPart);
  const tested = rules.filter(({ id }) => names.some(({ rule }) => rule === id)).length;
  const silent = rules.filter(({ isSilent }) => isSilent).length;
  t.diagnostic(`${rules.length} statements, ${silent} of them silent; ${tested} have a test`);
});

test('every rule of the specification has a test, but for those knowingly not here yet', (t) => {
  for (const { id, notHereYet, isSilent } of rules) {
    if (isSilent) continue;
    const isTested = names.some(({ rule }) => rule === id);
    assert.equal(isTested, notHereYet === undefined, id);
    if (notHereYet !== undefined) t.diagnostic(`Not here yet: ${id} (${notHereYet})`);
  }
});

test('every test of the specification names a rule', () => {
  assert.ok(names.length >= rules.length / 2, 'The names were not found');
  const unnamed = names.filter(({ rule }) => rule === undefined);
  assert.deepEqual(unnamed, []);
});

test('every test stands in the file of its part', () => {
  for (const { file, name } of names) {
    assert.equal(/^\d+/.exec(name)?.[0], /^\d+/.exec(file)?.[0], `${file}: ${name}`);
  }
});

test('every call of test() was read: no name is put together while the tests run', () => {
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    const calls = text.match(/^ *(?:test|it)\(/gm) ?? [];
    assert.equal(names.filter((name) => name.file === file).length, calls.length, file);
  }
});

test('no two rules have one name', () => {
  assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length);
});

test('what is not here yet is not in the API document either', () => {
  for (const { id, notHereYet } of rules) {
    if (notHereYet === undefined) continue;
    const path = id.split(' ').at(-1) ?? '';
    assert.equal(document.paths[path], undefined, id);
  }
});
