import { valueOf, numberOf } from './account-key.ts';
import type { Fields, RawEntry } from './raw.ts';

/** Words that banks write where they have no value. */
const NO_VALUE = new RegExp(
  `^(?:${[
    'non[ _-]?ref',
    'no[ _-]?ref(?:erence)?',
    'not[ _-]?(?:provided|available|known)',
    'notavail|none|null|unknown|n/?a|xx+|[ .*?-]+',
  ].join('|')})$`,
  'i',
);

/** Marks of Swiss payment slips that were read without errors, or with them. */
const SLIP_CODES = /^(?:\?(?:REJECT|ERROR)\?\d{1,3} ?)+$/;

const REFERENCES = ['RmtInf/Strd/CdtrRefInf/Ref', 'RmtInf/Strd/CdtrRefInf/CdtrRef'];

/** Payee and notes; empty if there is none. */
export interface Texts {
  readonly payee: string;
  readonly notes: string;
}

/** Whether a text is one that banks write where they have no value, such as `NOTPROVIDED`. */
export function isPlaceholder(text: string): boolean {
  return NO_VALUE.test(text);
}

/** Texts of a whole entry. Of several details, the first with a name gives the payee. */
export function entryTexts(raw: RawEntry, direction: 1 | -1): Texts {
  const { details, detailCount, fields } = raw;
  const own = singleBlanks(valueOf(fields, 'AddtlNtryInf'));
  const names = details.map((detail) => partyOf(raw, detail, direction));
  const named = names.find(({ payee }) => payee !== '') ?? { payee: '' };
  const [only] = details;
  const remittance = only === undefined ? [] : notesOf(only);
  const payee = firstText(named.payee, own, remittance[0]);
  const texts = detailCount > 1 ? [] : [...remittance, ...(names[0]?.notes ?? [])];
  const batch = detailCount > 1 ? [`Batch of ${detailCount} payments`] : [];
  return { payee, notes: joined([...texts, own, ...batch], payee) };
}

/** Texts of one detail of several. */
export function detailTexts(raw: RawEntry, detail: Fields, direction: 1 | -1): Texts {
  const named = partyOf(raw, detail, direction);
  const remittance = notesOf(detail);
  const own = singleBlanks(valueOf(raw.fields, 'AddtlNtryInf'));
  const text = detail.has('RmtInf/Ustrd') ? remittance[0] : undefined;
  const payee = firstText(named.payee, text, own, remittance[0]);
  return { payee, notes: joined([...remittance, ...named.notes], payee) };
}

/**
 * The other party: the creditor of money out, the debtor of money in; else the ultimate one. A reversal has the parties
 * of the first payment, so they are the other way round unless the account's owner shows otherwise. Of returns, some
 * banks keep the parties of the first payment, too: without the owner, both names are kept.
 */
function partyOf(raw: RawEntry, detail: Fields, direction: 1 | -1) {
  const [side, opposite] =
    direction < 0 ? (['Cdtr', 'Dbtr'] as const) : (['Dbtr', 'Cdtr'] as const);
  const isReversal = /^(?:true|1)$/i.test(valueOf(raw.fields, 'RvslInd'));
  const isReturn = detail.has('RtrInf/Rsn/Cd');
  const other = nameOf(detail, opposite);
  const isOwners = isOwner(raw, detail, side);
  const isOthers = !isOwner(raw, detail, opposite);
  const isFirst = isOwners || (isReversal && !isReturn && isOthers);
  const isSwapped = (isReversal || isReturn) && other !== '' && isFirst;
  const chosen = isSwapped ? opposite : side;
  const name = nameOf(detail, chosen);
  const ultimate = nameOf(detail, `Ultmt${chosen}`);
  const payee = name || ultimate;
  const isUnused = !isSwapped && isOthers && (payee === '' || (isReturn && !isOwners));
  return { payee, notes: [name === '' ? '' : ultimate, isUnused ? other : ''] };
}

function isOwner(raw: RawEntry, detail: Fields, side: 'Dbtr' | 'Cdtr'): boolean {
  const { fields } = raw.statement;
  const number = numberOf(fields);
  const account = ['IBAN', 'Othr/Id'].some(
    (id) => valueOf(detail, `RltdPties/${side}Acct/Id/${id}`).replaceAll(/\s/g, '') === number,
  );
  const owner = valueOf(fields, 'Acct/Ownr/Nm') || valueOf(fields, 'Acct/Ownr/Pty/Nm');
  const isNamed = owner !== '' && same(nameOf(detail, side), singleBlanks(owner));
  return (number !== '' && account) || isNamed;
}

function nameOf(detail: Fields, party: string): string {
  const name = ['Nm', 'Pty/Nm', 'Agt/FinInstnId/Nm']
    .map((path) => singleBlanks(valueOf(detail, `RltdPties/${party}/${path}`)))
    .find((text) => text !== '' && !isPlaceholder(text));
  return name ?? '';
}

/** What a payment is for: free text, references, and further information. */
function notesOf(detail: Fields): string[] {
  return ['RmtInf/Ustrd', ...REFERENCES, 'RmtInf/Strd/AddtlRmtInf', 'AddtlTxInf', 'RtrInf/AddtlInf']
    .map((path) => singleBlanks(valueOf(detail, path)))
    .filter((text) => text !== '' && !isPlaceholder(text) && !SLIP_CODES.test(text));
}

/** Joins texts, without those that the payee or an earlier text has already. */
function joined(texts: readonly string[], payee: string): string {
  const kept: string[] = [];
  for (const text of texts) {
    const isKnown = same(text, payee) || kept.some((one) => one.includes(text));
    if (text !== '' && !isKnown) kept.push(text);
  }
  return kept.join('; ');
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function firstText(...texts: readonly (string | undefined)[]): string {
  return texts.find((text) => text !== undefined && text !== '') ?? '';
}

function singleBlanks(text: string): string {
  return /\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ').trim() : text;
}
