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
export function signsOf(text: string): TextSigns {
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
export function comparable(text: string): string {
  return ` ${foldText(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
}
