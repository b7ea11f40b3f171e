/**
 * The words of one language, each list separated by `|`, preferred first. Written as banks write them; case, accents,
 * `_` and double spaces do not matter.
 */
export interface Vocabulary {
  /** The day of the transaction itself. */
  readonly transactionDate?: string;
  readonly date?: string;
  readonly bookingDate?: string;
  readonly valueDate?: string;
  /** The amount in the currency of the account, where the file also has another one. */
  readonly accountAmount?: string;
  readonly amount?: string;
  /** Names of amounts that are money out, on statements of cards; each is a name of the amount, too. */
  readonly spentAmount?: string;
  readonly debit?: string;
  readonly credit?: string;
  /** A column of directions, if all of its cells are words of `moneyOut` and `moneyIn`. */
  readonly direction?: string;
  /** The other party. */
  readonly payee?: string;
  readonly description?: string;
  readonly notes?: string;
  readonly category?: string;
  readonly tags?: string;
  /** The account of the statement, as far as the name says it. Those of `account` may be the other party's. */
  readonly ownAccount?: string;
  /** The one who pays, in a table that also has the one who is paid. */
  readonly payer?: string;
  readonly recipient?: string;
  /** Names that may be those of the account's owner. */
  readonly holder?: string;
  readonly account?: string;
  readonly accountCurrency?: string;
  readonly currency?: string;
  readonly balance?: string;
  readonly status?: string;
  readonly fee?: string;
  readonly moneyOut?: string;
  readonly moneyIn?: string;
  /** Directions of rows that move no money, or none that counts. */
  readonly neutral?: string;
  /** Parts of the texts of payments to a card, on the statement of that card. */
  readonly cardPayment?: string;
  /** Parts of the texts of purchases. */
  readonly cardPurchase?: string;
  readonly pending?: string;
  readonly reverted?: string;
  readonly declined?: string;
  readonly failed?: string;
  readonly cancelled?: string;
  /** Names of balances that are no transactions, whatever their amount. */
  readonly balanceLine?: string;
  /** Words that are no transactions only where the date or the amount is missing. */
  readonly totalLine?: string;
  /** Twelve names, each with its abbreviations after `/`. */
  readonly months?: string;
}
