import { folded, wordsOf } from './fold.ts';
import { cardText, type Direction } from './meanings.ts';

/** Names of columns that statements of cards have. */
const COLUMNS: ReadonlySet<string> = new Set(
  [
    'card|card number|card no|card no.|card #|card num|card member|cardmember|card holder|cardholder|cardholder name',
    'card holder name|name on card|card type|card name|card last 4|last 4|last 4 digits|last four|last four digits',
    'credit card|credit card number|merchant|merchant name|merchant description|merchant category|merchant city',
    'merchant type|merchant location|mcc|mcc code|kreditkarte|kreditkartennummer|kartennummer|karte|karteninhaber',
    'haendler|händler|händlername|kartentyp|händlerkategorie|kaartnummer|kaart|kredietkaart|creditcard|creditcardnummer',
    'handelaar|kaarthouder|carte|numéro de carte|numéro carte|titulaire de la carte|commerçant|nom du commerçant',
    'tarjeta|número de tarjeta|tarjeta de crédito|comercio|establecimiento|carta|numero carta|numero di carta',
    'carta di credito|esercente|titolare carta|cartão|número do cartão|estabelecimento|portador|karta|numer karty',
    'nr karty|sprzedawca|číslo karty|obchodník|kort|kortnummer|kortinnehavare|kortholder|kortindehaver|inköpsställe',
    'brukersted|kortti|kortin numero|kauppias|kártyaszám|kart no|kart numarası|işyeri|номер карты|карта|номер картки',
    'картка|カード番号|利用店名|ご利用店名|ご利用先|卡号|卡號|商户|商户名称|商戶|카드번호|가맹점|가맹점명',
    'מספר כרטיס|שם בית העסק|שם בית עסק',
  ].flatMap(wordsOf),
);

// The day of the purchase, and the day on which the card company has it.
const PURCHASE_DAY = /^trans(?:action|\.)?(?: date|datum)|^purchase date$/;
const POSTING_DAY = /^(?:post|posted|posting|process(?:ed)?) date$|^date (?:posted|processed)$/;

/** Whether the names of a table, which has no balance, are those of a card's statement. */
export function areOfCard(names: readonly string[]): boolean {
  const all = names.map((name) => folded(name));
  const has = (pattern: RegExp): boolean => all.some((name) => pattern.test(name));
  return all.some((name) => COLUMNS.has(name)) || (has(PURCHASE_DAY) && has(POSTING_DAY));
}

/** Whether a cell is the number of a card, of which digits are hidden. */
export function isHiddenNumber(cell: string): boolean {
  return /^(?=.*[X*•]{3})[\dX*• .-]{8,25}\d{3}$/i.test(cell);
}

/** Whether a text above a table says that it is of a card. */
export function namesCard(text: string): boolean {
  return (
    /credit ?card|kreditkarte|carte de credit|tarjeta|carta di credito|cartao|kreditkort|luottokortti/.test(
      folded(text),
    ) || text.split(/[:=]/).some((part) => isHiddenNumber(part.trim()))
  );
}

// Money in, on the statements of cards and accounts.
const CREDITS = [
  'payments and credits|payment and credits|payments & credits|payments/credits|gutschrift|gutschriften',
].flatMap(wordsOf);
// Money in on the statement of a card, but also sent by accounts of shops.
const REFUNDS = [
  'refund|refunds|refunded|reversal|chargeback|cashback|cash back|credit voucher|merchant credit|statement credit',
  'erstattung|rückerstattung|rückzahlung|remboursement|avoir|reembolso|devolución|abono|rimborso|accredito|estorno',
  'terugbetaling|terugstorting|restitutie|zwrot|återbetalning|tilbakebetaling|refusjon|tilbagebetaling|hyvitys|palautus',
  'vratka|vrácení|iade|visszatérítés|возврат|повернення',
  // Payments to a card, which accounts have as well.
  'inbetalning|innbetaling|indbetaling|maksusuoritus|spłata karty|spłata zadłużenia|splátka karty|погашение',
  'погашение задолженности|пополнение|погашення|поповнення|törlesztés|kart ödemesi|borç ödeme|ödeme teşekkürler',
  'geïncasseerd vorig saldo|geincasseerd vorig saldo|einzahlung|πληρωμή κάρτας',
].flatMap(wordsOf);
const REFUNDS_WITHOUT_GAPS = ['返金', '退款', '退货', '退貨', '환불', 'זיכוי'].map(folded);
// Money in on the statement of a card, and money out of any other account.
const CARD_ONLY = [
  'lastschrifteinzug|lastschriftseinzug|einzug lastschrift|autopay|auto pay|automatic payment|direct debit|domiciliation',
  'incasso|automatische incasso|adeudo|domiciliación',
].flatMap(wordsOf);
const PAYMENT = new RegExp(
  '^(?:(?:online|mobile|web|internet|electronic|ach|card|credit card|phone|epay|bank|your|manual) )?' +
    'payments?(?: (?:received|thank you|thanks|from .*|- .*))?$',
);
const OWN_PAYMENTS = new Set(
  [
    'zahlung|zahlungen|zahlungseingang|paiement|paiements|pago|pagos|pagamento|pagamenti|betaling|betalning|płatność',
    'credit|credits|return|returns|returned|deposit',
  ].flatMap(wordsOf),
);
const PURCHASES = new Set(
  [
    'sale|sales|purchase|purchases|kauf|einkauf|achat|achats|compra|compras|acquisto|aankoop|köp|kjøp|køb|osto|zakup',
    'nákup|покупка|消费|merchandise|fee|fees|annual fee|interest|interest charge|cash advance|gebühr|zinsen',
  ].flatMap(wordsOf),
);

const within = (words: readonly string[]): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})`, 'u');
const CREDIT = within(CREDITS);
const REFUND = within(REFUNDS);
const ONLY_CARD = within(CARD_ONLY);

/** What a text says of its row: money in or out, and where that holds. */
export interface CardMeaning {
  readonly direction: Direction;
  /** `all`: in each table; `refund`: where shops send none; `card`: on the statement of a card only. */
  readonly holds: 'all' | 'refund' | 'card';
}

const MAX_LENGTH = 60;

/** The meaning of a text in a table that may be of a card; null for any other text. */
export function cardMeaning(text: string): CardMeaning | null {
  if (text.length > MAX_LENGTH || !/\p{L}/u.test(text)) return null;
  const known = cardText(text);
  if (known !== 0) return { direction: known, holds: 'all' };
  const words = folded(text);
  if (CREDIT.test(words)) return { direction: 1, holds: 'all' };
  if (REFUND.test(words) || REFUNDS_WITHOUT_GAPS.some((word) => words.includes(word)))
    return { direction: 1, holds: 'refund' };
  if (ONLY_CARD.test(words) || PAYMENT.test(words) || OWN_PAYMENTS.has(words))
    return { direction: 1, holds: 'card' };
  return PURCHASES.has(words) ? { direction: -1, holds: 'card' } : null;
}
