/**
 * The structured `:86:` of Dutch, Belgian, Swiss and other banks: code words between slashes, such as
 * `/TRTP/SEPA OVERBOEKING/IBAN/…/NAME/…/REMI/…`. Source: formats of ABN AMRO, ING, Rabobank and Deutsche Bank.
 */
import { singleBlanks } from './subfields.ts';

/** The parts of a text with code words. All have single spaces. */
export interface Codewords {
  readonly name: string;
  /** What the payment is for. */
  readonly purpose: string;
  /** The bank's word for the kind of entry. */
  readonly kind: string;
}

const WORDS = [
  'TRTP',
  'CSID',
  'MARF',
  'IBAN',
  'BIC',
  'NAME',
  'REMI',
  'EREF',
  'ORDP',
  'BENM',
  'CNTP',
  'PREF',
  'RTRN',
  'PURP',
  'ULTC',
  'ULTD',
  'ULTB',
  'UDTR',
  'UCRD',
  'ISDT',
  'TRCD',
  'ADDR',
  'ADDRESS',
  'OCMT',
  'EXCH',
  'CHGS',
  'CHGA',
  'ACCW',
  'IREF',
  'SVCL',
  'NRTX',
  'BUSP',
  'RREF',
  'BREF',
  'KREF',
  'MREF',
  'CRED',
  'DEBT',
  'INIT',
  'VALD',
  'FREF',
  'SUM',
  'ACCT',
  'CITY',
];
/** The first word may be any. */
const BEGIN = /^\s*\/[A-Z]{2,7}\//;
const WORD = new RegExp(`(?:^\\s*/([A-Z]{2,7})|/(${WORDS.join('|')}))(?=/)`, 'g');
const PARTIES: ReadonlySet<string> = new Set(['ORDP', 'BENM', 'CNTP', 'ULTC', 'ULTD']);
const FULL_LINE_LENGTH = 65;
/** Some banks count the tag of the first line. */
const FULL_FIRST_LENGTH = 61;

/** Splits a text with code words; null if it has none. `isDebit`: money out, so the beneficiary is the counterparty. */
export function parseCodewords(lines: readonly string[], isDebit: boolean): Codewords | null {
  if (!BEGIN.test(lines[0] ?? '')) return null;
  const text = joinLines(lines);
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
  return {
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
function joinLines(lines: readonly string[]): string {
  return lines
    .map((line, at) => {
      const isBroken =
        line.length >= (at === 0 ? FULL_FIRST_LENGTH : FULL_LINE_LENGTH) ||
        lines[at + 1]?.startsWith('/') === true;
      return isBroken ? line : `${line} `;
    })
    .join('');
}
