import { parseCodewords } from './codewords.ts';
import type { StatementLine } from './statement-line.ts';
import { parseSubfields, singleBlanks } from './subfields.ts';

/** Who was paid or paid, and what for. */
export interface EntryTexts {
  readonly payee: string;
  readonly notes: string | null;
}

/** The code and the number of a booking slip before a text that is not structured. */
const UNSTRUCTURED = /^\s*999(?:PN\d{4})?/;
/** Labels in texts of Dutch banks: `NAAM: X`. */
const LABEL = /(?:^|[\s/])(?:NAAM|NAME): */i;
const NEXT_LABEL = /\n|\s{2}|\s[A-Z][A-Z.]{2,14}: /;
/** Words, not only a number of an account or an order. */
const WORDS = /\p{L}{3}/u;
const IBAN = /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/;

/**
 * The texts of an entry. The payee is the name of the counterparty if the `:86:` shows it, else the bank's word for
 * the kind of entry, else the whole text. The notes are the purpose, the number of a cheque, and the second line of
 * the `:61:` if it has words.
 */
export function textsOf(details: readonly string[], line: StatementLine): EntryTexts {
  const texts = textsOfDetails(details, line);
  const supplement = isText(line.supplement) ? line.supplement : '';
  const payee = texts.payee || line.reference || supplement;
  const known = `${payee} ${texts.notes}`;
  const others = [checkNumber(line), supplement].filter((part) => !known.includes(part));
  const notes = [texts.notes, ...others].filter((part) => part !== '');
  return { payee, notes: notes.length === 0 ? null : notes.join('; ') };
}

function textsOfDetails(
  details: readonly string[],
  { isDebit }: StatementLine,
): { payee: string; notes: string } {
  const structured = parseSubfields(details) ?? parseCodewords(details, isDebit);
  const whole = singleBlanks(details.join(' '));
  if (structured === null) return freeTexts(details, whole);
  const { name, purpose, kind } = structured;
  const [payee = whole, ...others] = [name, kind, purpose].filter((part) => part !== '');
  if (name === '') return { payee, notes: others.join(' ') };
  return { payee, notes: purpose || kind };
}

function freeTexts(details: readonly string[], whole: string): { payee: string; notes: string } {
  const text = details.join('\n');
  const label = LABEL.exec(text);
  if (label === null) return { payee: whole.replace(UNSTRUCTURED, '').trim(), notes: '' };
  const rest = text.slice(label.index + label[0].length);
  const name = singleBlanks(rest.slice(0, NEXT_LABEL.exec(rest)?.index));
  return name === '' ? { payee: whole, notes: '' } : { payee: name, notes: whole };
}

/** Cheques have their number as the reference. */
function checkNumber({ type, reference }: StatementLine): string {
  return type.endsWith('CHK') && /^\d{1,16}$/.test(reference) ? `No. ${reference}` : '';
}

function isText(supplement: string): boolean {
  return WORDS.test(supplement) && !supplement.startsWith('/') && !IBAN.test(supplement);
}
