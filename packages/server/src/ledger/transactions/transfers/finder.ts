import { dayNumber } from '@coffer/core/dates';
import { foldText } from '@coffer/core/fold';

/** Words of banks for money that is moved between accounts. They are compared without accents, also within words. */
const transferWords = [
  ...['transfer', 'xfer', 'tfr', 'trf', 'sweep', 'standing order', 'to account', 'from account'],
  ...['uberweisung', 'ueberweisung', 'umbuchung', 'ubertrag', 'uebertrag', 'dauerauftrag'],
  ...['virement', ' vir ', 'transferencia', 'traspaso', 'bonifico', 'giroconto', 'overboeking'],
  ...['overschrijving', 'overforing', 'overforsel', 'tilisiirto', 'przelew', 'prevod', 'atutalas'],
  ...[
    'virament',
    'havale',
    'virman',
    'перевод',
    'μεταφορα',
    '振替',
    '振込',
    '转账',
    '轉賬',
    '이체',
  ],
];

/** Words for the payment of a card's debt: a plain word for a payment is in the names of shops, too. */
const paymentWords = [
  ...['payment received', 'payment thank', 'thank you', 'autopay', 'auto pay', 'credit card'],
  ...[
    'card payment',
    'card bill',
    'online payment',
    'automatic payment',
    'mobile payment',
    'payment to',
  ],
  ...[
    'payment from',
    'internet payment',
    'web payment',
    'epayment',
    'kreditkarte',
    'kartenabrechnung',
  ],
  ...['zahlung erhalten', 'zahlungseingang', 'paiement recu', 'releve carte', 'prelevement carte'],
  ...[
    'pago tarjeta',
    'pago recibido',
    'tarjeta de credito',
    'pagamento recebido',
    'cartao de credito',
  ],
  ...['carta di credito', 'addebito carta', 'creditcard', 'betaling ontvangen', 'kreditkort'],
  ...['luottokortti', 'splata karty', 'platba karty', 'kredi karti', 'кредитн', 'カード'],
];

/** Words for money that comes back from a shop or a bank. */
const refundWords = [
  ...['refund', 'return', 'reversal', 'reversed', 'chargeback', 'cashback', 'cash back', 'rebate'],
  ...['erstattung', 'rueckzahlung', 'ruckzahlung', 'storno', 'retoure', 'remboursement', ' avoir '],
  ...['reembolso', 'devolucion', 'devolucao', 'rimborso', 'terugbetaling', 'tilbagebetaling'],
  ...[
    'aterbetalning',
    'tilbakebetaling',
    'palautus',
    'zwrot',
    'vraceni',
    'iade',
    'возврат',
    '返金',
  ],
];

/** What the text of a transaction says about it. */
export interface TextSigns {
  /** Its words as they are compared: folded, with single blanks, and a blank at each end. */
  readonly words: string;
  readonly isTransfer: boolean;
  readonly isPayment: boolean;
  readonly isRefund: boolean;
}

/** Returns what a text says. */
function signsOf(text: string): TextSigns {
  const words = comparable(text);
  const has = (some: readonly string[]): boolean => some.some((word) => words.includes(word));
  return {
    words,
    isTransfer: has(transferWords),
    isPayment: has(paymentWords),
    isRefund: has(refundWords),
  };
}

/** Returns a text with its words as they are compared: see {@link TextSigns.words}. */
function comparable(text: string): string {
  return ` ${foldText(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
}

/** A whole transaction in an account of the book. */
export interface FinderRow {
  readonly id: number;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** In ten-thousandths of `currency`; money out is positive. */
  readonly amount: number;
  readonly currency: string;
  /** `amount` in the primary currency; 0 if it is not known. */
  readonly toBase: number;
  /** The key of its account. */
  readonly account: string;
  /** Payee, payee as received, and notes. */
  readonly text: string;
  /** The own account whose number the bank gives as the other side. Default: the bank gives none. */
  readonly other?: string;
}

/** An account of the book. */
export interface FinderAccount {
  readonly key: string;
  /** What texts may call it. */
  readonly names: readonly string[];
  /** Whether its balance is owed, such as that of a credit card. */
  readonly isOwed: boolean;
}

/** Two transactions that are, or may be, a transfer. */
export interface FoundPair {
  readonly sentId: number;
  readonly receivedId: number;
  /** Whether it is made without asking. */
  readonly isCertain: boolean;
  readonly foundBy: 'account_number' | 'rows';
  /** Why, in a few words. */
  readonly why: string;
}

/** Most days from the day on which money leaves to the day on which it arrives. */
export const mostDays = 5;
/** Banks date an arrival up to a day before the departure. */
const daysBefore = 1;
/** Most candidates of one row: more of them are no evidence. */
const mostCandidates = 50;

const unit = 10_000;
/** A fee is at most 3 % of what was sent, or ten units of small amounts, and never a fifth. */
const largestFee = (sent: number): number => Math.min(Math.max(sent * 0.03, 10 * unit), sent / 5);
/** By how much the values of two currencies may differ: the rate of a bank is not that of the day. */
const rateTolerance = 0.06;

/** A row with what its text says. */
interface Read {
  readonly row: FinderRow;
  readonly day: number;
  readonly signs: TextSigns;
  /** The accounts that its text names. */
  readonly named: ReadonlySet<string>;
}

interface Candidate {
  readonly sent: Read;
  readonly received: Read;
  readonly isExact: boolean;
  readonly score: number;
}

/**
 * Returns the pairs of rows that are or may be transfers; each row is in at most one. The work grows with the rows, and
 * with how many of them have one amount within a few days.
 *
 * Certain is a pair whose accounts are named: by a number, or by a name and a word for a transfer; or the payment of a
 * card. If another row could take the place of one of the two, no pair is certain.
 */
export function findTransfers(
  rows: readonly FinderRow[],
  accounts: readonly FinderAccount[],
): FoundPair[] {
  const owed = new Set(accounts.filter(({ isOwed }) => isOwed).map(({ key }) => key));
  const names = accounts.flatMap(({ key, names: all }) =>
    all
      .map((name) => ({ key, words: comparable(name) }))
      .filter(({ words }) => words.trim().length >= 3),
  );
  const read = rows.map((row) => readRow(row, names));
  const candidates = [...exactCandidates(read), ...looseCandidates(read)]
    .map((each) => ({ ...each, score: scoreOf(each, owed) }))
    .filter(({ score }) => score > 0)
    .toSorted(byScore);
  const ofRow = new Map<number, Candidate[]>();
  for (const each of candidates)
    for (const { row } of [each.sent, each.received])
      ofRow.set(row.id, [...(ofRow.get(row.id) ?? []), each]);
  const taken = new Set<number>();
  const found: FoundPair[] = [];
  for (const each of candidates) {
    const { sent, received } = each;
    if (taken.has(sent.row.id) || taken.has(received.row.id)) continue;
    taken.add(sent.row.id).add(received.row.id);
    found.push(pairOf(each, ofRow, owed));
  }
  return found;
}

function readRow(
  row: FinderRow,
  names: readonly { readonly key: string; readonly words: string }[],
): Read {
  const signs = signsOf(row.text);
  const named = names.filter(
    ({ key, words }) => key !== row.account && signs.words.includes(words),
  );
  // Of names within each other, such as "Visa" in "Visa Gold", the longest is meant.
  const longest = named.filter(
    ({ words }) => !named.some((other) => other.words !== words && other.words.includes(words)),
  );
  return { row, day: dayNumber(row.date), signs, named: new Set(longest.map(({ key }) => key)) };
}

type Unscored = Omit<Candidate, 'score'>;

/** Pairs of the same amount in one currency. */
function* exactCandidates(all: readonly Read[]): Iterable<Unscored> {
  const byAmount = Map.groupBy(
    all.filter(({ row }) => row.amount < 0),
    ({ row }) => `${row.currency} ${-row.amount}`,
  );
  for (const sent of all) {
    if (sent.row.amount <= 0) continue;
    const same = byAmount.get(`${sent.row.currency} ${sent.row.amount}`) ?? [];
    const near = same.filter((received) => isNear(sent, received));
    for (const received of near.slice(0, mostCandidates)) yield { sent, received, isExact: true };
  }
}

/** Pairs that differ by a fee or a rate: by little, if neither row says that it is a transfer. */
function* looseCandidates(all: readonly Read[]): Iterable<Unscored> {
  const byDay = Map.groupBy(
    all.filter(({ row }) => row.amount < 0),
    ({ day }) => day,
  );
  for (const sent of all) {
    if (sent.row.amount <= 0) continue;
    for (let day = sent.day - daysBefore; day <= sent.day + mostDays; day += 1)
      for (const received of byDay.get(day) ?? [])
        if (isNear(sent, received) && isLoose(sent, received))
          yield { sent, received, isExact: false };
  }
}

function isNear(sent: Read, received: Read): boolean {
  const days = received.day - sent.day;
  return days >= -daysBefore && days <= mostDays && sent.row.account !== received.row.account;
}

function isLoose(sent: Read, received: Read): boolean {
  const isSaid = [sent, received].some(saysTransfer);
  const [out, into] = [sent.row, received.row];
  if (out.currency !== into.currency) {
    const tolerance = isSaid ? rateTolerance : rateTolerance / 2;
    return Math.abs(out.toBase + into.toBase) <= Math.abs(out.toBase) * tolerance;
  }
  const fee = out.amount + into.amount;
  const largest = isSaid ? largestFee(out.amount) : out.amount * 0.01;
  return fee > 0 && fee <= largest;
}

function saysTransfer({ row, signs, named }: Read): boolean {
  return row.other !== undefined || signs.isTransfer || named.size > 0;
}

/** How much speaks for a pair; not above 0 if something speaks against it. */
function scoreOf({ sent, received, isExact }: Unscored, owed: ReadonlySet<string>): number {
  const sides = sideScore(sent, received) + sideScore(received, sent);
  const isCard = isCardPayment(sent, received, owed) ? 2 : 0;
  const days = Math.abs(received.day - sent.day) + (received.day < sent.day ? 1 : 0);
  return (isExact ? 3 : 1) + sides + isCard - days * 0.2 - differenceScore(sent.row, received.row);
}

function sideScore({ row, signs, named }: Read, other: Read): number {
  if (row.other !== undefined) return row.other === other.row.account ? 10 : -100;
  // A text that names a third account speaks against this one.
  const name = named.has(other.row.account) ? 4 : named.size > 0 ? -2 : 0;
  return name + (signs.isTransfer ? 1 : 0) - (signs.isRefund ? 4 : 0);
}

function differenceScore(sent: FinderRow, received: FinderRow): number {
  const [out, into] =
    sent.currency === received.currency
      ? [sent.amount, received.amount]
      : [sent.toBase, received.toBase];
  return (Math.abs(out + into) / Math.max(1, Math.abs(out))) * 20;
}

function isCardPayment(sent: Read, received: Read, owed: ReadonlySet<string>): boolean {
  // A shop sends money back under its own name.
  if (sent.signs.words === received.signs.words && !sent.signs.isTransfer) return false;
  return (
    owed.has(received.row.account) &&
    (received.signs.isPayment || received.signs.isTransfer) &&
    (sent.signs.isPayment || sent.signs.isTransfer)
  );
}

function byScore(a: Candidate, b: Candidate): number {
  return (
    b.score - a.score ||
    a.sent.day - b.sent.day ||
    a.sent.row.id - b.sent.row.id ||
    a.received.row.id - b.received.row.id
  );
}

/** By how much the score of a pair must exceed that of another one with one of its rows. */
const margin = 0.5;

function pairOf(
  candidate: Candidate,
  ofRow: ReadonlyMap<number, readonly Candidate[]>,
  owed: ReadonlySet<string>,
): FoundPair {
  const { sent, received, isExact } = candidate;
  const rivals = [sent, received].flatMap(({ row }) => ofRow.get(row.id)!);
  const isClear = rivals.every((each) => each === candidate || isNoRival(candidate, each));
  const isNumbered = [sent, received].some(({ row }) => row.other !== undefined);
  const ends = [sent.named.has(received.row.account), received.named.has(sent.row.account)];
  const isNamed = ends.includes(true);
  const hasWord = [sent, received].some(({ signs }) => signs.isTransfer || signs.isPayment);
  const isRefund = [sent, received].some(({ signs }) => signs.isRefund);
  const isCard = isCardPayment(sent, received, owed);
  const isSaid = isExact ? (isNamed && hasWord) || isCard : ends.every(Boolean);
  return {
    sentId: sent.row.id,
    receivedId: received.row.id,
    isCertain: isClear && !isRefund && (isNumbered || isSaid),
    foundBy: isNumbered ? 'account_number' : 'rows',
    why: whyOf(candidate, { isNumbered, isNamed, isCard }),
  };
}

/** Whether another pair is clearly worse, or the same movement: an equal row of the same day in the same account. */
function isNoRival(chosen: Candidate, other: Candidate): boolean {
  if (other.score < chosen.score - margin) return true;
  return isAlike(chosen.sent, other.sent) && isAlike(chosen.received, other.received);
}

function isAlike(a: Read, b: Read): boolean {
  return a.day === b.day && a.row.account === b.row.account && a.row.amount === b.row.amount;
}

function whyOf(
  { sent, received, isExact }: Candidate,
  said: Readonly<Record<'isNumbered' | 'isNamed' | 'isCard', boolean>>,
): string {
  const how = said.isNumbered
    ? 'the bank gives the number of the other account'
    : said.isCard
      ? 'a payment of a card'
      : said.isNamed
        ? 'a text names the other account'
        : 'no text names the other account';
  const amounts = isExact ? 'the same amount' : 'about the same amount';
  const days = received.day - sent.day;
  const when =
    days === 0
      ? 'on the same day'
      : `${Math.abs(days)} ${days === 1 || days === -1 ? 'day' : 'days'} apart`;
  return `${amounts} ${when}; ${how}`;
}
