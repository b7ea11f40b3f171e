import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { rules } from './rules.ts';

const folder = import.meta.dirname;
/** Files for the specification start with the number of its part; the others test what it leaves open. */
const files = globSync('[0-9]*.test.ts', { cwd: folder }).toSorted();
const namePattern = /^ *(?:test|it)\(\s*(['"])(.*?[^\\])\1/gms;

const names = files.flatMap((file) =>
  [...readFileSync(join(folder, file), 'utf8').matchAll(namePattern)].map(([, , name = '']) => ({
    file,
    name,
    of: rulesOf(name),
  })),
);

/** Returns the rules that a name starts with, separated by commas; of ids that begin alike the longest. */
function rulesOf(name: string): string[] {
  const [id] = rules
    .map(({ id }) => id)
    .filter((id) => name.startsWith(`${id} `) || name.startsWith(`${id}, `))
    .toSorted((a, b) => b.length - a.length);
  if (id === undefined) return [];
  const rest = name.slice(id.length);
  return rest.startsWith(', ') ? [id, ...rulesOf(rest.slice(2))] : [id];
}

/** Counted in the specification itself, so that no rule can be missing from the list. */
const statementsOfPart = { 1: 4, 2: 6, 4: 17, 5: 2, 7: 2, 8: 14, 9: 3 };

test('every statement of the specification is in the list, once', () => {
  const parts = Map.groupBy(rules, ({ id }) => Number(/^\d+/.exec(id)?.[0]));
  const counts = Object.fromEntries([...parts].map(([part, { length }]) => [part, length]));
  assert.deepEqual(counts, statementsOfPart);
  assert.equal(new Set(rules.map(({ id }) => id)).size, rules.length);
});

test('every rule of the specification has a test, unless it says that something is not shown', () => {
  for (const { id, isSilent } of rules)
    assert.ok(isSilent === true || names.some(({ of }) => of.includes(id)), id);
});

test('every test of the specification names a rule', () => {
  assert.ok(names.length >= rules.length / 2, 'The names were not found');
  const unnamed = names.filter(({ of }) => of.length === 0);
  assert.deepEqual(unnamed, []);
});

test('every test is in the file of the part of its first rule', () => {
  for (const { file, name, of } of names)
    assert.equal(Number.parseInt(of[0]!), Number.parseInt(file), name);
});

test('every call of test() was found: no name is computed at run time', () => {
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    const calls = text.match(/^ *(?:test|it)\(/gm) ?? [];
    assert.equal(names.filter((name) => name.file === file).length, calls.length, file);
  }
});
