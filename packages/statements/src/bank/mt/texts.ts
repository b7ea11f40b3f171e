import { listOf, singleBlanks } from '../../statement/texts.ts';
/**
 * The structured `:86:` of German, Austrian, Polish, Hungarian and other banks: numbered parts behind a mark, such as
 * `166?00GUTSCHRIFT?20EREF+…?32NAME`. Source: DFÜ agreement of the German banks, annex 3, part MT940.
 */

/** The parts of a structured text. All have single spaces. */
interface EntryDetails {
  readonly name: string;
  /** The number of the other side's account, perhaps after that of its bank and a slash; empty if there is none. */
  readonly account: string;
  /** What the payment is for. */
  readonly purpose: string;
  /** The bank's word for the kind of entry. */
  readonly kind: string;
}

const BEGIN = /^\s*(\d{3})?([?<>~^|@!&§$#*/])(\d\d)/;
const FULL_LINE_LENGTH = 65;
/** Some banks count the tag of the first line. */
const FULL_FIRST_LENGTH = 61;
/** A shorter line, that is nearly full, lost the blanks at its end. */
const NEARLY_FULL_LENGTH = 55;
/** A part has 27 characters; some banks have 35. */
const PART_LENGTHS = [27, 35] as const;
/** Where two parts were joined. */
const SEAM = '\u0001';
const NO_VALUE = /^(?:NOT ?PROVIDED|NONREF|NICHT ANGEGEBEN)$/i;

const TAGS = listOf(
  'EREF KREF MREF CRED DEBT SVWZ ABWA ABWE IBAN BIC COAM OAMT BREF RREF PURP MTLG IREF TAN1',
);
/** Tags may be broken between two parts. With a colon, a blank follows or the tag begins a part. */
const TAG = new RegExp(
  `(?:^|[\\s${SEAM}])(${TAGS.map((tag) => [...tag].join(`${SEAM}?`)).join('|')})${SEAM}?(?:\\+|:)`,
  'g',
);

/** Splits a structured text; null if it is not structured. */
export function parseSubfields(lines: readonly string[]): EntryDetails | null {
  const whole = joinLines(lines);
  const [, kindCode, mark = '', code = ''] = BEGIN.exec(whole) ?? [];
  if (!isPartCode(code)) return null;
  if (mark === '/' && kindCode === undefined) return null;
  const parts = partsOf(whole, mark);
  if (parts === null) return null;
  const text = joinParts(parts, (at) => (at >= 20 && at < 30) || (at >= 60 && at < 64));
  const tagged = taggedTexts(text);
  const name = joinParts(parts, (at) => at === 32 || at === 33).replaceAll(SEAM, '');
  const own = tagged.get('SVWZ') ?? tagged.get('') ?? '';
  const purpose = [own, tagged.get('MTLG') ?? ''].filter((part) => part !== '').join(' ');
  return {
    account: accountIn(parts, tagged),
    name: singleBlanks(name) || (tagged.get('ABWA') ?? tagged.get('ABWE') ?? ''),
    purpose: purpose || referencesOf(tagged),
    kind: singleBlanks(parts.get(0) ?? ''),
  };
}

/** The IBAN in part 38, in part 31 or behind a tag; else the numbers of the bank and the account in parts 30 and 31. */
function accountIn(
  parts: ReadonlyMap<number, string>,
  tagged: ReadonlyMap<string, string>,
): string {
  const [bank, number, iban] = [30, 31, 38].map((at) => bareAccount(parts.get(at) ?? ''));
  const found = [iban, number, bareAccount(tagged.get('IBAN') ?? '')].find((each) =>
    IBAN.test(each!),
  );
  return found ?? (bank !== '' && number !== '' ? `${bank}/${number}` : number!);
}

const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/** A text without blanks, if it can be the number of an account or a bank; else an empty one. */
function bareAccount(text: string): string {
  const bare = text.replaceAll(/\s/g, '');
  return /^[A-Z0-9]{4,34}$/.test(bare) && /[1-9]/.test(bare) ? bare : '';
}

/** All that the bank gives, if it gives only references. */
function referencesOf(tagged: ReadonlyMap<string, string>): string {
  return [...tagged]
    .filter(([, value]) => !NO_VALUE.test(value))
    .map(([tag, value]) => `${tag}+${value}`)
    .join(' ');
}

/** Numbers of parts that banks use. */
function isPartCode(code: string): boolean {
  return /^(?:[0-3]\d|6[0-9]|7[0-9])$/.test(code);
}

/**
 * Joins lines that were broken after 65 characters, in the middle of words. Blanks at the end of a line may have been
 * removed since.
 */
function joinLines(lines: readonly string[]): string {
  let whole = '';
  lines.forEach((line, index) => {
    const before = lines[index - 1];
    const full = index === 1 ? FULL_FIRST_LENGTH : FULL_LINE_LENGTH;
    const isBroken = before === undefined || before.length >= full;
    whole += isBroken ? line : `${gapBetween(before, line)}${line}`;
  });
  return whole;
}

function gapBetween(before: string, after: string): string {
  if (/\s$/.test(before) || /^[\s?<>~^|]/.test(after)) return '';
  if (/[?<>~^|@]\d?$/.test(before)) return '';
  if (before.length >= NEARLY_FULL_LENGTH) return ' ';
  return /[\p{Ll}.,;]$/u.test(before) && /^\p{Lu}/u.test(after) ? ' ' : '';
}

/** Any mark with the number of a part. */
const PART_BEGIN = /[^\p{L}\p{N}\s](\d\d)/gu;

/** The parts by their numbers; null if there are too few for a text whose mark is an ordinary character. */
function partsOf(text: string, mark: string): Map<number, string> | null {
  const parts = new Map<number, string>();
  const begins = [...text.matchAll(PART_BEGIN)].filter(
    ([begin, code = '']) => begin.startsWith(mark) && isPartCode(code),
  );
  if (mark === '/' && begins.length < 3) return null;
  begins.forEach((begin, at) => {
    const value = text.slice(begin.index + 3, begins[at + 1]?.index);
    const number = Number(begin[1]);
    parts.set(number, (parts.get(number) ?? '') + value);
  });
  return parts;
}

/** Joins parts in the order of their numbers, with a space after a part that is not full. */
function joinParts(parts: ReadonlyMap<number, string>, isWanted: (at: number) => boolean): string {
  const wanted = [...parts].filter(([at]) => isWanted(at)).toSorted(([a], [b]) => a - b);
  const longest = Math.max(0, ...wanted.map(([, part]) => part.length));
  const full = longest > PART_LENGTHS[0] ? PART_LENGTHS[1] : PART_LENGTHS[0];
  return wanted.map(([, part]) => (part.length < full ? `${part} ` : part)).join(SEAM);
}

/** The texts behind the SEPA tags, and the text before the first tag under `''`. The first of equal tags counts. */
function taggedTexts(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const begins = [...text.matchAll(TAG)];
  const add = (tag: string, value: string): void => {
    const clean = singleBlanks(value.replaceAll(SEAM, ''));
    if (clean !== '' && !found.has(tag)) found.set(tag, clean);
  };
  add('', text.slice(0, begins[0]?.index));
  begins.forEach((begin, at) => {
    const from = begin.index + begin[0].length;
    add((begin[1] ?? '').replaceAll(SEAM, ''), text.slice(from, begins[at + 1]?.index));
  });
  return found;
}

/**
 * The structured `:86:` of Dutch, Belgian, Swiss and other banks: code words between slashes, such as
 * `/TRTP/SEPA OVERBOEKING/IBAN/…/NAME/…/REMI/…`. Source: formats of ABN AMRO, ING, Rabobank and Deutsche Bank.
 */

const WORDS = listOf(
  'TRTP CSID MARF IBAN BIC NAME REMI EREF ORDP BENM CNTP PREF RTRN PURP ULTC ULTD ULTB UDTR',
  'UCRD ISDT TRCD ADDR ADDRESS OCMT EXCH CHGS CHGA ACCW IREF SVCL NRTX BUSP RREF BREF KREF',
  'MREF CRED DEBT INIT VALD FREF SUM ACCT CITY',
);
/** The first word may be any. */
const WORDS_BEGIN = /^\s*\/[A-Z]{2,7}\//;
const WORD = new RegExp(`(?:^\\s*/([A-Z]{2,7})|/(${WORDS.join('|')}))(?=/)`, 'g');
const PARTIES: ReadonlySet<string> = new Set(['ORDP', 'BENM', 'CNTP', 'ULTC', 'ULTD']);

/** Splits a text with code words; null if it has none. `isDebit`: money out, so the beneficiary is the counterparty. */
export function parseCodewords(lines: readonly string[], isDebit: boolean): EntryDetails | null {
  if (!WORDS_BEGIN.test(lines[0] ?? '')) return null;
  const text = joinFullLines(lines);
  const begins = [...text.matchAll(WORD)];
  if (
    !begins.some(([, , word]) => word !== undefined) &&
    !begins.some(([, first]) => isWord(first))
  ) {
    return null;
  }
  const values = new Map<string, string>();
  let party = '';
  begins.forEach((begin, at) => {
    const word = begin[1] ?? begin[2] ?? '';
    const value = valueOf(text.slice(begin.index + begin[0].length, begins[at + 1]?.index));
    if (PARTIES.has(word)) party = word;
    const key = word === 'NAME' ? `${party}.NAME` : word;
    if (value !== '' && !values.has(key)) values.set(key, value);
  });
  const [counterparty = ''] = values.get('CNTP')?.split('/') ?? [];
  const numbers = [values.get('IBAN'), counterparty, values.get('ACCT')];
  return {
    account: numbers.map((each = '') => bareAccount(each)).find((each) => each !== '') ?? '',
    name: nameOf(values, isDebit),
    purpose: (values.get('REMI') ?? '').replace(/^(?:USTD|STRD(?:\/CUR)?)\/+/, ''),
    kind: values.get('TRTP') ?? '',
  };
}

function isWord(word: string | undefined): boolean {
  return word !== undefined && WORDS.includes(word);
}

function nameOf(values: ReadonlyMap<string, string>, isDebit: boolean): string {
  const [own, other] = isDebit ? ['BENM', 'ORDP'] : ['ORDP', 'BENM'];
  const named = [own, 'CNTP', '', other].map((party) => values.get(`${party}.NAME`));
  const found = named.find((name) => name !== undefined);
  if (found !== undefined) return found;
  // The party itself: account, bank, name and city between slashes, or a name with an address.
  const counterparty = values.get('CNTP')?.split('/');
  if (counterparty !== undefined) return singleBlanks(counterparty[2] ?? '');
  return singleBlanks((values.get(own) ?? values.get(other) ?? '').split('/')[0] ?? '');
}

/** A value without slashes and blanks around it. */
function valueOf(text: string): string {
  const value = singleBlanks(text);
  let from = 0;
  let to = value.length;
  while (from < to && '/ '.includes(value[from]!)) from += 1;
  while (to > from && '/ '.includes(value[to - 1]!)) to -= 1;
  return value.slice(from, to);
}

/** Joins lines that were broken after 65 characters, in the middle of words. */
function joinFullLines(lines: readonly string[]): string {
  return lines
    .map((line, at) => {
      const isBroken =
        line.length >= (at === 0 ? FULL_FIRST_LENGTH : FULL_LINE_LENGTH) ||
        lines[at + 1]?.startsWith('/') === true;
      return isBroken ? line : `${line} `;
    })
    .join('');
}
