import { addDays } from '@coffer/core/dates';
import type { Balance } from '@coffer/statements/src/statement/statement.ts';
import sql from 'sql-template-tag';
import type { Change } from '../book/change.ts';
import type { Steps } from '../db/engine.ts';
import { followAnchors } from '../ledger/accounts/actions.ts';
import { anchorsOf, lastAnchor, putAnchor, sumOfRows } from '../ledger/accounts/anchors.ts';
import type { AnchoredAccount, BalanceAnchor } from '../ledger/accounts/anchors.ts';
import type { ResolvedEntry } from './comparison.ts';
import type { ImportAccount, NumberedAccount } from './entry.ts';

/** What is known of the booked entries of an account in a file. */
interface FileEntries {
  readonly account: ImportAccount;
  readonly numbered: NumberedAccount;
  first: string;
  last: string;
  /** In ten-thousandths of the currency of the account; null if an entry has another currency. */
  sum: bigint | null;
  /** Sums by day of what is not in the book yet. */
  readonly added: Map<string, bigint>;
}

/** The balances of an account in a file, as they become anchors. */
interface StatedBalances {
  /** Before the first entry; null if the file does not say it. */
  readonly opening: StatedBalance | null;
  readonly closing: StatedBalance;
}

interface StatedBalance {
  readonly day: string;
  /** Ten-thousandths; debts are negative. */
  readonly balance: number;
}

/** A balance that a file states, and what follows from the book and the file. */
export interface CheckedBalance extends StatedBalance {
  /** The name of the account in the file. */
  readonly name: string;
  /** What the rows make of the balance before; null if none is known. */
  readonly expected: bigint | null;
}

/** Collects the entries of the accounts of a file that states balances, and makes anchors of these. */
export class StatementBalances {
  readonly #bookId: number;
  readonly #stated: ReadonlyMap<string, NumberedAccount>;
  readonly #entries = new Map<string, FileEntries>();

  /** `accounts` are those of the file, by their names there. */
  constructor(bookId: number, accounts: ReadonlyMap<string, NumberedAccount> = new Map()) {
    this.#bookId = bookId;
    this.#stated = new Map([...accounts].filter(([, { balances = [] }]) => balances.length > 0));
  }

  /** Notes an entry of the file, and whether it becomes a new transaction, or posts a pending one. */
  note(resolved: ResolvedEntry, isNew: boolean): void {
    if (this.#stated.size === 0) return;
    const { raw, account, currency, amount, date, isPending } = resolved;
    const numbered = this.#stated.get(raw.account ?? '');
    if (numbered === undefined || account === null || isPending) return;
    const found = this.#entries.get(raw.account!) ?? {
      ...{ account, numbered, first: date, last: date, sum: 0n },
      added: new Map<string, bigint>(),
    };
    this.#entries.set(raw.account!, found);
    if (date < found.first) found.first = date;
    if (date > found.last) found.last = date;
    found.sum =
      currency === account.currency && found.sum !== null ? found.sum + BigInt(amount) : null;
    if (isNew) found.added.set(date, (found.added.get(date) ?? 0n) + BigInt(amount));
  }

  /** Makes anchors of the balances, and gives accounts the balances that follow. Call it after all rows are written. */
  *write(change: Change, importId: () => Steps<number>): Steps<void> {
    for (const entries of this.#entries.values()) {
      const stated = statedBalances(entries);
      if (stated === null) continue;
      const { opening, closing } = stated;
      const account = anchored(this.#bookId, entries.account);
      const last = yield* lastAnchor(account);
      const known = yield* claimBefore(account, closing.day);
      const id = yield* importId();
      for (const each of opening !== null && known === undefined ? [opening, closing] : [closing])
        yield* putAnchor(change, account, { ...each, source: 'statement', import_id: id });
      if (last === undefined || closing.day >= last.day)
        yield* followAnchors(change, entries.account.id);
    }
  }

  /** Returns the balances with what follows from the book and the entries that are not in it yet. */
  *check(): Steps<CheckedBalance[]> {
    const checked: CheckedBalance[] = [];
    for (const [name, entries] of this.#entries) {
      const stated = statedBalances(entries);
      if (stated === null) continue;
      const expected = yield* this.#expected(entries, stated);
      checked.push({ name, ...stated.closing, expected });
    }
    return checked;
  }

  *#expected({ account, added }: FileEntries, stated: StatedBalances): Steps<bigint | null> {
    const { opening, closing } = stated;
    const own = anchored(this.#bookId, account);
    const claim = account.isEarlier ? yield* claimBefore(own, closing.day) : undefined;
    const from = claim ?? opening;
    if (from === null) return null;
    const range = { after: from.day, upTo: closing.day };
    const known = account.isEarlier ? yield* sumOfRows(own, range) : 0n;
    let sum = 0n;
    for (const [date, amount] of added) if (date > from.day && date <= closing.day) sum += amount;
    return BigInt(from.balance) - known + sum;
  }
}

function anchored(bookId: number, { id, currency }: ImportAccount): AnchoredAccount {
  return { kind: 'manual', id, bookId, currency, type: '' };
}

/** Returns the last balance before a day that no request has moved. */
function* claimBefore(account: AnchoredAccount, day: string): Steps<BalanceAnchor | undefined> {
  const before = sql`day < ${day} AND source <> 'api'`;
  return (yield* anchorsOf(account, before)).at(-1);
}

/**
 * Returns the balances of an account in a file; null without a closing one, or in another currency than the account's.
 *
 * A bank may date entries before the opening and after the closing balance, by their value. If the entries are the
 * difference of the two, all of them are between these.
 */
function statedBalances(entries: FileEntries): StatedBalances | null {
  const { account, numbered, first, last, sum } = entries;
  const { balances = [], currency = null } = numbered;
  if (currency !== null && currency !== account.currency) return null;
  const closing = balances.findLast(isDated('ledger'));
  if (closing === undefined) return null;
  const opening = balances.find(isDated('opening'));
  const end = { day: closing.date, balance: closing.amount };
  if (opening === undefined) return { opening: null, closing: end };
  const day = opening.date < first ? opening.date : addDays(first, -1);
  const start = { day, balance: opening.amount };
  const isWhole = sum !== null && BigInt(opening.amount) + sum === BigInt(closing.amount);
  if (isWhole && last > end.day) return { opening: start, closing: { ...end, day: last } };
  return { opening: start, closing: end };
}

function isDated(kind: Balance['kind']) {
  return (balance: Balance): balance is Balance & { date: string } =>
    balance.kind === kind && balance.date !== null && Number.isSafeInteger(balance.amount);
}
