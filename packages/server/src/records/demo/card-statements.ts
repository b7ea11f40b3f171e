import type { CardName } from './accounts.ts';
import type { DraftTransaction } from './draft-transaction.ts';
import { toUsd } from './currencies.ts';

/** What is paid when a statement has nothing to pay. */
const leastPayment = 250_000;

/** What is owed on each credit card while the ten years go by, in ten-thousandths of a US dollar. */
export class CardStatements {
  readonly #owed: Record<CardName, number> = { travelCard: 0, cashBackCard: 0 };
  #closed: Readonly<Record<CardName, number>> = { travelCard: 0, cashBackCard: 0 };

  /** Takes a card's row into account; parts of a split are in their parent's amount already. */
  record(draft: DraftTransaction): void {
    if (draft.splitParent !== null || !isCard(draft.account)) return;
    this.#owed[draft.account] += toUsd(draft.amount, draft.currency, draft.day);
  }

  /** At the end of a month: what is owed now is what the next payment pays. */
  closeMonth(): void {
    this.#closed = { ...this.#owed };
  }

  /** Sets both ends of a card payment to the last statement's balance, in whole cents. */
  settle(payment: DraftTransaction): void {
    const { cardSide } = payment;
    if (cardSide === null || !isCard(cardSide.account)) return;
    const cents = Math.round(this.#closed[cardSide.account] / 100);
    payment.amount = Math.max(cents * 100, leastPayment);
    cardSide.amount = -payment.amount;
  }

  get owed(): Readonly<Record<CardName, number>> {
    return this.#owed;
  }
}

function isCard(account: DraftTransaction['account']): account is CardName {
  return account === 'travelCard' || account === 'cashBackCard';
}
