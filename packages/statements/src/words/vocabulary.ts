import arabic from '../../vocabulary/ar.json' with { type: 'json' };
import czech from '../../vocabulary/cs.json' with { type: 'json' };
import danish from '../../vocabulary/da.json' with { type: 'json' };
import german from '../../vocabulary/de.json' with { type: 'json' };
import greek from '../../vocabulary/el.json' with { type: 'json' };
import english from '../../vocabulary/en.json' with { type: 'json' };
import spanish from '../../vocabulary/es.json' with { type: 'json' };
import baltic from '../../vocabulary/et-lv-lt.json' with { type: 'json' };
import finnish from '../../vocabulary/fi.json' with { type: 'json' };
import french from '../../vocabulary/fr.json' with { type: 'json' };
import hebrew from '../../vocabulary/he.json' with { type: 'json' };
import southSlavic from '../../vocabulary/hr-sr-bs-sl.json' with { type: 'json' };
import hungarian from '../../vocabulary/hu.json' with { type: 'json' };
import southEastAsian from '../../vocabulary/id-ms-vi-th.json' with { type: 'json' };
import italian from '../../vocabulary/it.json' with { type: 'json' };
import japanese from '../../vocabulary/ja.json' with { type: 'json' };
import korean from '../../vocabulary/ko.json' with { type: 'json' };
import dutch from '../../vocabulary/nl.json' with { type: 'json' };
import norwegian from '../../vocabulary/no.json' with { type: 'json' };
import polish from '../../vocabulary/pl.json' with { type: 'json' };
import portuguese from '../../vocabulary/pt.json' with { type: 'json' };
import romanian from '../../vocabulary/ro.json' with { type: 'json' };
import russian from '../../vocabulary/ru.json' with { type: 'json' };
import slovak from '../../vocabulary/sk.json' with { type: 'json' };
import swedish from '../../vocabulary/sv.json' with { type: 'json' };
import turkish from '../../vocabulary/tr.json' with { type: 'json' };
import ukrainian from '../../vocabulary/uk-bg-sr.json' with { type: 'json' };
import chinese from '../../vocabulary/zh.json' with { type: 'json' };

const UNDECOMPOSED: Record<string, string> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ß: 'ss',
  æ: 'ae',
  ı: 'i',
  ђ: 'đ',
};

// Most texts need none of the steps, or only some.
const PLAIN = /^[a-z]+$/;
const ASCII = /^[\x20-\x5f\x61-\x7e]*$/;
const GAPS = /[_\s][_\s]|_|[^\S ]|^\s|\s$/;

/** Normalizes what banks write in different ways: case, accents, `_`, runs of spaces, invisible characters. */
export function folded(text: string): string {
  if (PLAIN.test(text)) return text;
  if (ASCII.test(text)) return withoutGaps(text.toLowerCase());
  const bare = text.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '');
  const lower = bare
    .toLowerCase()
    .replace(/[łøđßæı]/g, (letter) => UNDECOMPOSED[letter] ?? letter)
    .replace(/[’‘`´]/g, "'");
  return withoutGaps(/[а-яіїєґў]/.test(lower) ? inCyrillic(lower) : lower);
}

const LATIN = 'acehikmoptxy';
const CYRILLIC = 'асенікмортху';

/** Latin letters inside Cyrillic words that look alike, such as the first one of `Cума`, as the Cyrillic ones. */
function inCyrillic(text: string): string {
  return text.replace(/\S+/g, (word) =>
    /[а-яіїєґў]/.test(word) || word.length === 1
      ? word.replace(/[acehikmoptxy]/g, (letter) => CYRILLIC[LATIN.indexOf(letter)] ?? letter)
      : word,
  );
}

/** Returns the text without such characters at its end. An expression for all of them would try each run of them. */
export function withoutEnd(text: string, character: RegExp): string {
  let end = text.length;
  while (end > 0 && character.test(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

function withoutGaps(text: string): string {
  return GAPS.test(text) ? text.replace(/[\s_]+/g, ' ').trim() : text;
}

/** Writes the decimal digits of every script as ASCII. Source: Unicode, general category Nd: runs from zero to nine. */
export function withAsciiDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => String(valueOf(digit.codePointAt(0)!)));
}

function valueOf(code: number): number {
  // The five runs of mathematical digits follow one another, and begin at no multiple of ten.
  if (code >= 0x1d7ce && code <= 0x1d7ff) return (code - 0x1d7ce) % 10;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}

const ALL = [
  arabic,
  czech,
  danish,
  german,
  greek,
  english,
  spanish,
  baltic,
  finnish,
  french,
  hebrew,
  southSlavic,
  hungarian,
  southEastAsian,
  italian,
  japanese,
  korean,
  dutch,
  norwegian,
  polish,
  portuguese,
  romanian,
  russian,
  slovak,
  swedish,
  turkish,
  ukrainian,
  chinese,
] as const;

type NamesOf<T> = T extends unknown ? keyof T : never;

/** A list of words of a language; `vocabulary/schema.json` describes each. */
export type WordList = Exclude<
  NamesOf<(typeof ALL)[number]>,
  '$schema' | 'languages' | 'isMonthFirst' | 'months'
>;

/** A file of `vocabulary`: the words of one language, or of several that share most of them. */
export interface Vocabulary extends Readonly<Partial<Record<WordList, readonly string[]>>> {
  readonly isMonthFirst?: boolean;
  /** Twelve names, each with its abbreviations. */
  readonly months?: readonly (readonly string[])[];
}

/** All languages whose words are known. */
export const LANGUAGES: readonly Vocabulary[] = ALL;

/** The folded words of a language, preferred first. */
export function wordsOf(language: Vocabulary, list: WordList): string[] {
  return (language[list] ?? []).map(folded);
}

/** The folded words that a list has in any language. */
export function wordSet(list: WordList): ReadonlySet<string> {
  return new Set(LANGUAGES.flatMap((language) => wordsOf(language, list)));
}

/** Matches one of the folded words of a list in any language, the longer first: the source of an expression. */
export function anyWord(list: WordList): string {
  const words = [...wordSet(list)].toSorted((a, b) => b.length - a.length);
  return `(?:${words.map(escaped).join('|')})`;
}

/**
 * Matches folded texts that have one of the parts of a list: `kort` is a whole word, `kort*` the start of one, `*kort*`
 * any part; `^` before it is the start of the text, `$` after it the end. The source of an expression with the flag u.
 */
export function anyPart(list: WordList): string {
  return [...wordSet(list)].map(partSource).join('|');
}

const STARTS = new Map([
  ['*', ''],
  ['^', '^'],
]);
const ENDS = new Map([
  ['*', ''],
  ['$', '$'],
]);

function partSource(part: string): string {
  const start = STARTS.get(part[0]!);
  const end = ENDS.get(part.at(-1)!);
  const word = part.slice(start === undefined ? 0 : 1, end === undefined ? undefined : -1);
  return `${start ?? String.raw`(?<!\p{L})`}${escaped(word)}${end ?? String.raw`(?!\p{L})`}`;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
