import { formatAmount } from '@coffer/core/money';
import type { Entry } from '@coffer/statements/src/statement/statement.ts';
import type { StatementProblem } from '@coffer/statements/src/statement/statement-error.ts';
import { verdicts } from '../operations/preview-schema.ts';
import type { ImportPreviewRow, PreviewVerdict } from '../operations/preview-schema.ts';
import type { JudgedEntries } from './judged.ts';
import type { OpenPreview } from './open-preview.ts';
import { problemText } from './open-preview.ts';

/** A row of a preview with its place among all rows, and among those with its verdict. */
interface PlacedRow {
  readonly place: number;
  readonly nth: number;
  readonly row: ImportPreviewRow;
}

/** Accounts that are listed with their sums; a hostile file has thousands. */
const mostAccounts = 500;

/** The rows of a preview in the order of the file, and their totals. */
export class PreviewRows {
  readonly #opened: OpenPreview;
  readonly #judged: JudgedEntries;
  readonly #accounts = new Map<string, AccountTotal>();
  readonly counts: Record<PreviewVerdict, number> = {
    new: 0,
    known: 0,
    replaces: 0,
    doubtful: 0,
    bad: 0,
  };

  /** How many doubtful rows would be imported. */
  doubtfulImported = 0;

  constructor(opened: OpenPreview, judged: JudgedEntries) {
    this.#opened = opened;
    this.#judged = judged;
  }

  /** Returns the rows, bad ones between the others by their lines. The totals count the rows that were returned. */
  *rows(): Generator<PlacedRow> {
    const { statement } = this.#opened;
    const bad = badRows(statement.badRows?.problems ?? []);
    let place = 0;
    const placed = (row: ImportPreviewRow): PlacedRow => {
      const nth = this.counts[row.verdict];
      this.counts[row.verdict] += 1;
      if (row.verdict === 'doubtful' && row.is_imported) this.doubtfulImported += 1;
      place += 1;
      return { place: place - 1, nth, row };
    };
    let number = 0;
    for (const entry of statement.entries()) {
      while (bad[0] !== undefined && bad[0].line < entry.line) yield placed(bad.shift()!);
      number += 1;
      yield placed(this.#rowOf(entry, number));
    }
    for (const row of bad) yield placed(row);
  }

  /** The accounts of the rows, with their sums. */
  get accounts(): AccountTotal['wire'][] {
    return [...this.#accounts.values()].slice(0, mostAccounts).map((total) => total.wire);
  }

  #rowOf(entry: Entry, number: number): ImportPreviewRow {
    const { verdict, knownId, why, isImported, currency, account } = this.#judged.of(number);
    const { defaultAccount, accounts, accountOf } = this.#opened.plan;
    const name = accountOf?.(entry.account) ?? entry.account ?? defaultAccount;
    const shown = name === null ? null : (accounts.get(name)?.name ?? name);
    const accountId = account?.isEarlier === true ? account.id : null;
    this.#add(shown, accountId, currency, entry.amount);
    return {
      number,
      line: entry.line,
      date: entry.date,
      amount: formatAmount(entry.amount),
      currency,
      payee: entry.payee,
      account: shown,
      account_id: accountId,
      verdict,
      known_transaction_id: knownId,
      why,
      is_imported: isImported,
    };
  }

  #add(name: string | null, id: number | null, currency: string, amount: number): void {
    const key = JSON.stringify([name, id]);
    let total = this.#accounts.get(key);
    if (total === undefined) {
      if (this.#accounts.size >= mostAccounts) return;
      total = new AccountTotal(name, id);
      this.#accounts.set(key, total);
    }
    total.add(currency, amount);
  }
}

/** The sums of one account. */
class AccountTotal {
  readonly #name: string | null;
  readonly #id: number | null;
  readonly #sums = new Map<string, bigint>();
  #rows = 0;

  constructor(name: string | null, id: number | null) {
    this.#name = name;
    this.#id = id;
  }

  add(currency: string, amount: number): void {
    this.#rows += 1;
    this.#sums.set(currency, (this.#sums.get(currency) ?? 0n) + BigInt(amount));
  }

  get wire() {
    const sums = sumsOf(Object.fromEntries(this.#sums));
    return { name: this.#name, id: this.#id, rows: this.#rows, sums };
  }
}

/** Returns sums as in a response, in the order of their currencies. */
export function sumsOf(
  sums: Readonly<Record<string, bigint>>,
): { currency: string; amount: string }[] {
  const all = Object.entries(sums).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return all.map(([currency, sum]) => ({ currency, amount: formatAmount(sum) }));
}

/** Returns a row for each line with problems. */
function badRows(problems: readonly StatementProblem[]): ImportPreviewRow[] {
  const nothing = { number: null, date: null, amount: null, currency: null, payee: null };
  const unknown = { account: null, account_id: null, known_transaction_id: null };
  const verdict = verdicts[4];
  return [...Map.groupBy(problems, ({ line }) => line)].map(([line, all]) => {
    const why = all.map(problemText).join('; ');
    return { ...nothing, ...unknown, line, verdict, why, is_imported: false };
  });
}
