import { addDays } from '@coffer/core/dates';
import { formatAmount } from '@coffer/core/money';
import sql from 'sql-template-tag';
import type { Change } from '../book/change.ts';
import type { Steps } from '../db/engine.ts';
import { balanceAnchors } from '../db/tables/tables.ts';
import { followAnchors } from '../ledger/accounts/actions.ts';
import { anchorsOf, lastAnchor, putAnchor, sumOfRows } from '../ledger/accounts/anchors.ts';
import type { AnchoredAccount, BalanceAnchor } from '../ledger/accounts/anchors.ts';
import type { ResolvedEntry } from './comparison.ts';
import type { CheckedBalance, ImportAccount, ImportPlan, StatedAccount } from './entry.ts';

/** What is known of the booked entries of an account in a file. */
interface FileEntries {
  readonly account: ImportAccount;
  readonly stated: StatedAccount;
  /** Whether the amount of an entry is not in the currency of the account. */
  hasForeign: boolean;
  /** Sums by day, in ten-thousandths of the currency of the account. */
  readonly all: Map<string, bigint>;
  /** Sums by day of what is not in the book yet. */
  readonly added: Map<string, bigint>;
}

/** The balances of an account in a file, as they become anchors. */
interface FileBalances {
  /** Before the first entry; null if the file does not say it. */
  readonly opening: StatedBalance | null;
  readonly closing: StatedBalance;
  /** Whether the entries are the difference of the two: so the balance of each day between them is known, too. */
  readonly isWhole: boolean;
}

interface StatedBalance {
  readonly day: string;
  /** Ten-thousandths; debts are negative. */
  readonly balance: number;
}

/** A new account whose balance the file does not state. */
export interface UnstatedAccount {
  /** The name that entries have. */
  readonly name: string;
  readonly account: ImportAccount;
  /** The day before its first entry. */
  readonly day: string;
}

/** Collects the entries of the accounts of a file, and makes anchors of the balances that it states. */
export class StatementBalances {
  readonly #bookId: number;
  readonly #stated: ReadonlyMap<string, StatedAccount>;
  readonly #openings: ReadonlyMap<string, number>;
  readonly #entries = new Map<string, FileEntries>();
  /** New accounts without a balance, with the days of their first entries. */
  readonly #unstated = new Map<string, { readonly account: ImportAccount; first: string }>();

  /** Takes the balances of the file, and what new accounts had before it, by the names that entries have. */
  constructor(
    bookId: number,
    { balances = new Map(), openings = new Map() }: Pick<ImportPlan, 'balances' | 'openings'>,
  ) {
    this.#bookId = bookId;
    this.#stated = balances;
    this.#openings = openings;
  }

  /** The new accounts whose balance the file does not state, in the order of the file. */
  get unstated(): UnstatedAccount[] {
    return [...this.#unstated].map(([name, { account, first }]) => {
      return { name, account, day: addDays(first, -1) };
    });
  }

  /** Notes an entry of the file, and whether it becomes a new transaction, or posts a pending one. */
  note(resolved: ResolvedEntry, isNew: boolean): void {
    const { raw, account, currency, amount, date, isPending } = resolved;
    if (account === null) return;
    const stated = this.#stated.get(raw.account ?? '');
    if (stated === undefined) {
      if (!account.isEarlier) this.#noteUnstated(raw.account!, account, date);
      return;
    }
    const none = { account, stated, hasForeign: false, all: new Map(), added: new Map() };
    const found = this.#entries.get(raw.account!) ?? none;
    this.#entries.set(raw.account!, found);
    if (isPending) return;
    if (currency !== account.currency) found.hasForeign = true;
    add(found.all, date, amount);
    if (isNew) add(found.added, date, amount);
  }

  #noteUnstated(name: string, account: ImportAccount, date: string): void {
    const known = this.#unstated.get(name);
    if (known === undefined) this.#unstated.set(name, { account, first: date });
    else if (date < known.first) known.first = date;
  }

  /** Makes anchors of the balances, and gives accounts the balances that follow. Call it after all rows are written. */
  *write(change: Change, importId: () => Steps<number>): Steps<void> {
    const again: BalanceAnchor[] = [];
    for (const entries of this.#entries.values()) {
      const balances = balancesIn(entries);
      if (balances === null) continue;
      const { opening, closing } = balances;
      const account = anchored(this.#bookId, entries.account);
      const last = yield* lastAnchor(account);
      const known = yield* claimBefore(account, closing.day);
      const import_id = yield* importId();
      const own = opening !== null && known === undefined ? [opening, closing] : [closing];
      for (const each of [...(yield* outdated(account, entries, balances)), ...own]) {
        const stated = { ...each, source: 'statement', import_id } as const;
        const same = yield* putAnchor(change, account, stated);
        if (same !== null) again.push(same);
      }
      if (last === undefined || closing.day >= last.day)
        yield* followAnchors(change, entries.account.id);
    }
    for (const { name, account, day } of this.unstated) {
      const balance = this.#openings.get(name);
      if (balance === undefined) continue;
      const import_id = yield* importId();
      const known = { day, balance, source: 'user', import_id } as const;
      yield* putAnchor(change, anchored(this.#bookId, account), known);
      yield* followAnchors(change, account.id);
    }
    // An import that can be undone says these, too: they stay if the import before it is undone.
    if (again.length > 0 && !change.isEmpty)
      yield* change.updateAll(balanceAnchors, again, { import_id: yield* importId() });
  }

  /** Returns the balances with what follows from the book and the entries that are not in it yet. */
  *check(): Steps<CheckedBalance[]> {
    const checked: CheckedBalance[] = [];
    for (const [name, entries] of this.#entries) {
      const balances = balancesIn(entries);
      if (balances === null) continue;
      const expected = yield* this.#expected(entries, balances);
      checked.push({ name, account: entries.account.name, ...balances.closing, expected });
    }
    return checked;
  }

  *#expected(entries: FileEntries, balances: FileBalances): Steps<bigint | null> {
    const { account, added } = entries;
    const { opening, closing } = balances;
    const own = anchored(this.#bookId, account);
    const claim = account.isEarlier ? yield* claimBefore(own, closing.day) : undefined;
    const from = claim === undefined ? opening : (asInFile(claim, entries, balances) ?? claim);
    if (from === null) return null;
    const range = { after: from.day, upTo: closing.day };
    const known = account.isEarlier ? yield* sumOfRows(own, range) : 0n;
    return BigInt(from.balance) - known + sumBetween(added, range);
  }
}

function add(sums: Map<string, bigint>, date: string, amount: number): void {
  sums.set(date, (sums.get(date) ?? 0n) + BigInt(amount));
}

function sumBetween(
  sums: ReadonlyMap<string, bigint>,
  { after, upTo }: { after: string; upTo: string },
) {
  let sum = 0n;
  for (const [date, amount] of sums) if (date > after && date <= upTo) sum += amount;
  return sum;
}

/**
 * The balances of earlier statements that a whole file has otherwise: the earlier file was made before the bank had
 * booked all entries of its last day.
 */
function* outdated(
  account: AnchoredAccount,
  entries: FileEntries,
  balances: FileBalances,
): Steps<StatedBalance[]> {
  const earlier = yield* anchorsOf(account, sql`source = 'statement'`);
  return earlier.flatMap((anchor) => {
    const now = asInFile(anchor, entries, balances);
    return now === null || now.balance === anchor.balance ? [] : [now];
  });
}

/** Returns what a whole file has for the day of a balance; null if the day is not between its balances. */
function asInFile(
  { day }: StatedBalance,
  { all }: FileEntries,
  { opening, closing, isWhole }: FileBalances,
): StatedBalance | null {
  if (!isWhole || opening === null || day <= opening.day || day >= closing.day) return null;
  const sum = sumBetween(all, { after: opening.day, upTo: day });
  const balance = Number(BigInt(opening.balance) + sum);
  return Number.isSafeInteger(balance) ? { day, balance } : null;
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
 * A closing one without a day is of the last day of the entries.
 *
 * A bank may date entries before the opening and after the closing balance, by their value. If the entries are the
 * difference of the two, all of them are between these.
 */
function balancesIn(entries: FileEntries): FileBalances | null {
  const { account, hasForeign, all } = entries;
  const { balances, currency } = entries.stated;
  if (currency !== null && currency !== account.currency) return null;
  const stated = balances.filter(({ amount }) => Number.isSafeInteger(amount));
  const closings = stated.filter(({ kind }) => kind === 'ledger');
  const closing = closings.findLast(({ date }) => date !== null) ?? closings.at(-1);
  const days = [...all.keys()].toSorted();
  const [first, last] = [days[0], days.at(-1)];
  const closed = closing?.date ?? last;
  if (closing === undefined || closed === undefined) return null;
  const end = { day: closed, balance: closing.amount };
  const opening = stated.find(({ kind }) => kind === 'opening');
  if (opening === undefined || first === undefined || last === undefined)
    return { opening: null, closing: end, isWhole: false };
  const opened = opening.date ?? first;
  const day = opened < first ? opened : addDays(first, -1);
  const start = { day, balance: opening.amount };
  const sum = [...all.values()].reduce((so, each) => so + each, 0n);
  const isWhole = !hasForeign && BigInt(opening.amount) + sum === BigInt(closing.amount);
  if (isWhole && last > end.day) return { opening: start, closing: { ...end, day: last }, isWhole };
  return { opening: start, closing: end, isWhole };
}

/** Returns a balance of a file, and how far it is from what the rows make, as in responses. */
export function statedToWire({
  day,
  balance,
  expected,
}: Pick<CheckedBalance, 'day' | 'balance' | 'expected'>): {
  day: string;
  balance: string;
  difference: string | null;
} {
  const difference = expected === null ? null : formatAmount(BigInt(balance) - expected);
  return { day, balance: formatAmount(balance), difference };
}
