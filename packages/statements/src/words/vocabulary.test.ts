import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import profiles from '../../profiles.json' with { type: 'json' };
import schema from '../../vocabulary/schema.json' with { type: 'json' };
import { COLUMN_KEYS } from '../statement/statement.ts';
import { folded, LANGUAGES, anyPart, type Vocabulary, type WordList } from './vocabulary.ts';

const FOLDER = join(import.meta.dirname, '../../vocabulary');
const FILES = readdirSync(FOLDER).filter((name) => name !== 'schema.json');

type Content = Vocabulary & Readonly<Record<string, unknown>>;

function contentOf(file: string): Content {
  return JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Content;
}

/** Lists of which a word can have one meaning only. */
const DISTINCT: readonly (readonly WordList[])[] = [
  ['moneyOut', 'moneyIn', 'neutral'],
  ['pending', 'reverted', 'declined', 'failed', 'cancelled'],
  ['balanceLine', 'totalLine'],
  ['debit', 'credit'],
  ['cardPayment', 'cardPurchase'],
  ['moneyInText', 'refund', 'directDebit', 'payment', 'purchase'],
  ['payer', 'recipient'],
  ['assetAccount', 'liabilityAccount', 'categoryAccount'],
];
/** The schemas of lists of words. */
const LISTS = new Map<string, (typeof schema.$defs)['words' | 'parts']>(
  Object.entries(schema.properties).flatMap(([list, property]) => {
    const name = '$ref' in property ? property.$ref.replace('#/$defs/', '') : '';
    return name === 'words' || name === 'parts' ? [[list, schema.$defs[name]]] : [];
  }),
);

/** What a contributor has to change in a file. */
function faultsOf(content: Content): string[] {
  const { $schema, languages, isMonthFirst = true, months, ...lists } = content;
  const faults = [
    ...($schema === './schema.json' ? [] : ['$schema']),
    ...(typeof isMonthFirst === 'boolean' ? [] : ['isMonthFirst']),
    ...(Array.isArray(languages) && languages.length > 0 ? [] : ['languages']),
    ...(months === undefined || months.length === 12 ? [] : ['months']),
    ...(months ?? []).flatMap((names) => wordFaults('months', names)),
  ];
  for (const [list, words] of Object.entries(lists)) {
    if (!LISTS.has(list)) faults.push(`${list}: not in the schema`);
    else faults.push(...wordFaults(list, words as readonly string[]));
  }
  return [...faults, ...meaningFaults(content)];
}

function wordFaults(list: string, words: readonly string[]): string[] {
  const pattern = new RegExp((LISTS.get(list) ?? schema.$defs.words).items.pattern);
  const isJournal = /^(?:asset|liability|category)Account$/.test(list);
  const keys = words.map((word) => (isJournal ? word : folded(word)));
  return words.flatMap((word, at) => [
    ...(pattern.test(word) ? [] : [`${list}: "${word}" is no word`]),
    ...(word.toLowerCase() === word ? [] : [`${list}: "${word}" is not lower case`]),
    ...(word.normalize('NFC') === word ? [] : [`${list}: "${word}" is not NFC`]),
    ...(keys.indexOf(keys[at]!) === at ? [] : [`${list}: "${word}" twice`]),
  ]);
}

function meaningFaults(content: Content): string[] {
  return DISTINCT.flatMap((lists) => {
    const listOf = new Map<string, WordList>();
    return lists.flatMap((list) =>
      (content[list] ?? []).map(folded).flatMap((word) => {
        const other = listOf.get(word);
        listOf.set(word, list);
        return other === undefined || other === list ? [] : [`"${word}": ${other} and ${list}`];
      }),
    );
  });
}

describe('the files of vocabulary', () => {
  it('are all read', () => {
    assert.equal(LANGUAGES.length, FILES.length);
    const read = new Set(LANGUAGES.map((language) => JSON.stringify(language)));
    for (const file of FILES) assert.ok(read.has(JSON.stringify(contentOf(file))), file);
  });

  for (const file of FILES) {
    it(`${file} follows the schema`, () => assert.deepEqual(faultsOf(contentOf(file)), []));
  }

  it('have no other lists, no word twice, and no word of two meanings', () => {
    const good = { $schema: './schema.json', languages: ['Test'] };
    const faults = (more: object): string[] => faultsOf({ ...good, ...more });
    assert.deepEqual(faults({ amount: ['summe', 'betrag'], refund: ['*retour*'] }), []);
    assert.deepEqual(faults({ sum: ['summe'] }), ['sum: not in the schema']);
    assert.deepEqual(faults({ amount: ['höhe', 'hohe'] }), ['amount: "hohe" twice']);
    assert.deepEqual(faults({ amount: ['Summe'] }), ['amount: "Summe" is not lower case']);
    assert.deepEqual(faults({ amount: ['ho\u0308he'] }), ['amount: "ho\u0308he" is not NFC']);
    assert.deepEqual(faults({ amount: ['summe '] }), ['amount: "summe " is no word']);
    assert.deepEqual(faults({ amount: ['*summe*'] }), ['amount: "*summe*" is no word']);
    assert.deepEqual(faults({ months: [['mai']] }), ['months']);
    assert.deepEqual(faults({ moneyOut: ['soll'], moneyIn: ['soll'] }), [
      '"soll": moneyOut and moneyIn',
    ]);
  });
});

describe('anyPart', () => {
  const matchesOf = (list: WordList, texts: readonly string[]): string[] => {
    const parts = new RegExp(anyPart(list), 'u');
    return texts.filter((text) => parts.test(text));
  };

  it('matches whole words and starts of words', () => {
    const matching = ['my acct', 'account no', 'nib', 'the nib.'];
    assert.deepEqual(matchesOf('accountPart', [...matching, 'fact', 'nibble', '']), matching);
  });

  it('matches any part, and the ends of a text', () => {
    const matching = ['from account', 'data source', 'nadawca', 'sources: payer'];
    assert.deepEqual(matchesOf('fromPart', [...matching, 'fromage', 'date from']), matching);
  });

  it('takes signs of expressions as they are', () => {
    assert.deepEqual(matchesOf('numberPart', ['# of it', 'account n°', 'a']), [
      '# of it',
      'account n°',
    ]);
  });
});

describe('profiles.json', () => {
  const KEYS = new Set(
    'name header isWhole columns ignored dateOrder isNegated wordsDecide blankWord fee currency isApplication isOwn splits'.split(
      ' ',
    ),
  );
  const isKey = (key: string): boolean => (COLUMN_KEYS as readonly string[]).includes(key);

  it('has only what is known, and folded names', () => {
    for (const profile of profiles) {
      const { name, header, columns = {}, ignored = [] } = profile;
      assert.deepEqual(
        Object.keys(profile).filter((key) => !KEYS.has(key)),
        [],
        name,
      );
      assert.ok([...Object.keys(columns), ...ignored].every(isKey), name);
      for (const each of [...header, ...Object.values<string[]>(columns).flat()])
        assert.equal(each, folded(each), name);
    }
  });
});
