import { folded } from './fold.ts';
import { wordSet } from './meanings.ts';

/**
 * Whose account a name means: `own`, that of the `other` party, or either, as for `IBAN`. A `card` is an own one, but
 * an account may have several; a `product` is an account only where its values are kinds of accounts.
 */
export type AccountName = 'own' | 'other' | 'either' | 'card' | 'product';

/** Whose name a column has. A `holder` may be the owner of the account or the other party. */
export type PersonName = 'payer' | 'recipient' | 'holder';

const OWN_ACCOUNTS = wordSet('ownAccount');
const ACCOUNTS = wordSet('account');
const PAYEES = new Set([...wordSet('payee'), ...wordSet('recipient'), ...wordSet('payer')]);
const PERSONS = [
  ['holder', wordSet('holder')],
  ['payer', wordSet('payer')],
  ['recipient', wordSet('recipient')],
] as const;

const PRODUCT = /^(?:product|product name|produit)$/;

const CARD = oneOf(
  String.raw`card|carte|tarjeta|cartao|\bcarta\b|\bkart|kort|kaart|karty|карт|καρτα|卡|カード|카드|כרטיס|بطاق`,
  String.raw`wallet|\bpot\b|支付方式|付款方式|결제수단`,
);

// Parts of words: `Kontonummer`, `Tegenrekening`.
const ACCOUNT = oneOf(
  String.raw`iban|bban|\b(?:nib|rib|cbu|clabe)\b|\bacc(?:oun)?t|kont[ao]|\bkto|rekening|compte|\bcuenta|\bcta\b|\bconta\b|\bconto\b`,
  String.raw`\bcont\b|rachun|\bucet|\buctu|racun|szaml|hesap|\btili|с[чм]ет|рахун|λογαριασμ|saskait|账|帐|帳`,
  String.raw`口座|계좌|חשבון|حساب|tai khoan|บัญชี`,
);
const OTHER = oneOf(
  String.raw`\bcounter|contra\b|oppos|other (?:party|account)|\bpartner|payee|\bpay[eo]r\b|benef`,
  String.raw`recipient|receiver|sender|remitter|originator|debtor|creditor|destination|^to\b|gegen`,
  String.raw`empfang|auftraggeber|begunstig|zahlungspfl|absender|tegen|ontvanger|opdrachtgever|contrepart`,
  String.raw`destinat|emetteur|donneur|expedit|ordenante|ordinante|controp|contrap|modtager|mottak|mottag`,
  String.raw`mod(?:part|konto)|mot(?:part|konto)|avsend|avsand|afsend|\bsaaja|\bmaks[ja]|vasta|odbiorc`,
  String.raw`nadawc|kontrahent|zahlungsbet|przeciw|\bproti|prijem|\bplat[ci]|primatel|primalac|nalogodav`,
  String.raw`prejemnik|kedvezm|ellen|\balici|gonderen|\bkarsi|δικαιουχ|αντισυμβ|контрагент|корреспонд`,
  String.raw`кореспонд|получат|плательщ|одержувач|отримувач|платник|sanem|gavej|moketoj|对方|對方|收款|付款|相手|振込`,
  String.raw`상대|받는|보낸|מוטב|المستفيد|المرسل|penerima|pengirim|thu huong|nguoi nhan|doi tac`,
);
const OWN = new RegExp(
  `^(?:${[
    String.raw`own|my|your|eigene[nsrm]?|eigen|mein|mijn|mon|mi|minha|mio|oma|egen|eget|vlastn[iy]|muj`,
    String.raw`moj[ea]?|sajat|wlasny|kendi|мой|свой|наш|мій|本方|我方`,
  ].join('|')}) ?`,
);

function oneOf(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join('|'));
}

/** What a folded name of a column says about accounts; null for any other name. */
export function accountName(name: string): AccountName | null {
  const variants = variantsOf(name);
  if (variants.some((each) => OWN_ACCOUNTS.has(each))) return CARD.test(name) ? 'card' : 'own';
  if (variants.some((each) => ACCOUNTS.has(each))) return 'either';
  if (variants.some((each) => PAYEES.has(each))) return null;
  if (PRODUCT.test(name)) return 'product';
  const isAccount = ACCOUNT.test(name);
  if (isAccount && OTHER.test(name)) return 'other';
  const rest = name.replace(OWN, '');
  if (rest !== name && isAccount && isEither(rest)) return 'own';
  return isAccount && isEither(name) ? 'either' : null;
}

const FROM = oneOf(
  String.raw`^(?:from|source|debtor|payer|sender|originator|remitter|ordering|van|von|fra|fran|desde|da)\b`,
  String.raw`debtor|payer|nadawc|zleceniodawc|auftraggeber|zahlungspflicht|absender|ordenante|ordinante|donneur`,
  String.raw`source$|origen|origem|origine|opdrachtgever|afzender|maksajan|платник|плательщ|付款`,
);
const TO = oneOf(
  String.raw`^(?:to|destination|target|naar|nach|an|til|till|para|a)\b|destin|creditor|benef|recipient|receiver`,
  String.raw`payee|begunstig|empfang|odbiorc|ontvanger|modtager|mottag|mottak|saajan|получат|отримувач|收款`,
);

/** The side of a payment whose account a folded name has, such as `From account`; null for any other name. */
export function accountSide(name: string): 'from' | 'to' | null {
  if (!ACCOUNT.test(name) || PAYEES.has(name)) return null;
  const [isFrom, isTo] = [FROM.test(name), TO.test(name)];
  if (isFrom === isTo) return null;
  return isFrom ? 'from' : 'to';
}

const NUMBER_NAME = oneOf(
  String.raw`iban|bban|num[bem]|numar|\bnum\b|\bn[ro]\b|\bn°|#|nummer|konto-?n|kto|cislo|\bbroj|stevilka|szam$`,
  String.raw`tilinum|номер|αριθμος|番号|账号|帳號|번호|מספר|رقم|nomor|\bso tai|เลขที่`,
);

/** Whether a folded name of a column of accounts says that it has their numbers. */
export function namesNumber(name: string): boolean {
  return NUMBER_NAME.test(name);
}

/** Two names of accounts, such as `IBAN / Konto-Nr.`, or one with a word for its number. */
function isEither(name: string): boolean {
  const parts = name.split(/[^\p{L}.]+/u).filter((part) => part !== '');
  return parts.every((part) => ACCOUNTS.has(part) || PLAIN.test(part));
}

const PLAIN =
  /^(?:iban|bban|nib|rib|cbu|clabe|bank|acc(?:oun)?t|number|no\.?|nr\.?|n[uú]m(?:ero)?\.?|nummer|numer|cislo)$/;

/** Whose name a folded name of a column says that it has; null for any other name. */
export function personName(name: string): PersonName | null {
  const variants = variantsOf(name);
  const found = PERSONS.find(([, words]) => variants.some((each) => words.has(each)));
  return found?.[0] ?? null;
}

/** Also without a period or a number at the end, and with `ae` as a German umlaut. */
function variantsOf(name: string): string[] {
  const bare = name.replace(/ ?\d$/, '').replace(/[.:]$/, '').trim();
  return [name, bare, bare.replace(/([aou])e/g, '$1')];
}

const NUMBER = /^(?:[A-Z]{2}\d{2}[A-Z0-9]{1,40}|[A-Z]{0,2}[\dX*•.]{4,40})$/i;

/** A text without blanks and separators, if it is the number of an account; null for any other text. */
export function accountNumber(text: string): string | null {
  if (text.length > 60) return null;
  const bare = text.replace(/[\s/._-]+/g, '');
  const digits = bare.replace(/\D/g, '').length;
  return NUMBER.test(bare) && digits >= 4 ? bare.toUpperCase() : null;
}

const KIND = oneOf(
  String.raw`current|saving|deposit|check(?:ing|que)|chequ|account|\bcard|\bgiro|pocket|vault|wallet`,
  String.raw`sparen|spar|compte|livret|conto\b|cuenta|konto|rekening|ahorro|privat`,
);

/** Whether a value of a product is a kind of account, such as `Savings`. */
export function isAccountKind(value: string): boolean {
  return KIND.test(folded(value));
}
