import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTextLanguage } from './plural.ts';

type Leaf = string | ((...given: readonly unknown[]) => unknown);

/** All texts by their paths, such as `shell.themes.dark`. */
async function textsIn(folder: string): Promise<Map<string, Leaf>> {
  const found = new Map<string, Leaf>();
  for (const file of readdirSync(join(import.meta.dirname, folder)))
    add(found, '', (await import(`./${folder}/${file}`)) as object);
  return found;
}

function add(found: Map<string, Leaf>, path: string, texts: object): void {
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value === 'object' && value !== null) add(found, `${path}${name}.`, value as object);
    else found.set(`${path}${name}`, value as Leaf);
  }
}

/** Texts that are the same in both languages: names, keys, and words that German has taken. */
const same = new Set(
  (
    'Coffer Name Status Filter Tag Tags Budget Import Passkey Passkeys Webhooks Test Problem English Deutsch ' +
    'Budgets Rest Restaurants tag Orange'
  ).split(' '),
);
const isWord = (text: string): boolean => /[a-z]{3}/i.test(text) && !same.has(text);

/** What a text says of some values, of the kinds that texts get. */
function saidOf(leaf: Leaf): string[] {
  if (typeof leaf === 'string') return [leaf];
  const sets = [
    ['month', 'week', 'Zzz'],
    [1, 'month', 3],
    [5, 'month', 3],
  ];
  return sets.flatMap((given) => {
    try {
      const text = leaf(...given);
      return typeof text === 'string' ? [text] : [];
    } catch {
      return [];
    }
  });
}

test('every text of the UI is German in German, with the same values in it', async () => {
  const before = new Map([...(await textsIn('en'))].map(([path, leaf]) => [path, saidOf(leaf)]));
  setTextLanguage('de');
  await import('./de/all.ts');
  const after = await textsIn('en');
  const alike: string[] = [];
  for (const [path, english] of before) {
    const german = saidOf(after.get(path)!);
    assert.equal(german.length, english.length, path);
    english.forEach((text, at) => {
      if (isWord(text) && text === german[at] && !isKept(path)) alike.push(`${path}: ${text}`);
      for (const part of text.match(/Zzz|(?<!\d)5(?!\d)/g) ?? [])
        assert.ok(german[at]?.includes(part), `${path}: ${german[at]}`);
    });
  }
  assert.deepEqual(alike, []);
});

/** Keys, commands, examples of dates, and names that only carry what is given. */
function isKept(path: string): boolean {
  return /keySheet\.|command$|searchHint|accept$|\.version$|counted$|warning$|\.column$|moveTexts\.left$/.test(
    path,
  );
}
