import type {
  StatementProblem,
  Statement,
  Entry,
} from '@coffer/statements/src/statement/statement.ts';
import { formatAmount } from '@coffer/core/money';
import { given } from '../../db/table.ts';
import type {
  EntryVerdict,
  ImportAccount,
  Verdict,
  ImportEntry,
  ImportPlan,
  OnDoubt,
} from '../entry.ts';
import type { PreviewWork } from '../operations/import-service.ts';
import type { PreviewOptions } from '../operations/preview-options.ts';
import type { ImportPreviewRow, PreviewVerdict } from '../operations/preview-schema.ts';
import { problemText } from './open-preview.ts';
import type { OpenPreview } from './open-preview.ts';

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
  readonly #verdicts: EntryVerdicts;
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

  constructor(opened: OpenPreview, verdicts: EntryVerdicts) {
    this.#opened = opened;
    this.#verdicts = verdicts;
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
    const { verdict, knownId, why, isImported, currency, account } = this.#verdicts.of(number);
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
  const verdict = 'bad';
  return [...Map.groupBy(problems, ({ line }) => line)].map(([line, all]) => {
    const why = all.map(problemText).join('; ');
    return { ...nothing, ...unknown, line, verdict, why, is_imported: false };
  });
}

const words: readonly Verdict[] = ['new', 'known', 'replaces', 'doubtful'];

/** A value that many entries share, once. */
class Shared<T> {
  readonly #numbers = new Map<T, number>();
  readonly #values: T[] = [];

  numberOf(value: T): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.#values.push(value) - 1;
      this.#numbers.set(value, number);
    }
    return number;
  }

  at(number: number): T {
    return this.#values[number]!;
  }
}

/** The verdicts on all entries of a file, by their number: about 22 bytes each. */
export class EntryVerdicts {
  readonly #verdicts: Uint8Array;
  readonly #imported: Uint8Array;
  readonly #knownIds: Float64Array;
  readonly #reasons: Uint32Array;
  readonly #currencies: Uint32Array;
  readonly #accounts: Uint32Array;
  readonly #reason = new Shared<string | null>();
  readonly #currency = new Shared<string>();
  readonly #account = new Shared<ImportAccount | null>();
  readonly count: number;

  constructor(count: number) {
    this.count = count;
    this.#verdicts = new Uint8Array(count);
    this.#imported = new Uint8Array(count);
    this.#knownIds = new Float64Array(count);
    this.#reasons = new Uint32Array(count);
    this.#currencies = new Uint32Array(count);
    this.#accounts = new Uint32Array(count);
  }

  add({ number, verdict, knownId, why, isImported, currency, account }: EntryVerdict): void {
    const at = number - 1;
    this.#verdicts[at] = words.indexOf(verdict);
    this.#imported[at] = Number(isImported);
    this.#knownIds[at] = knownId ?? 0;
    this.#reasons[at] = this.#reason.numberOf(why);
    this.#currencies[at] = this.#currency.numberOf(currency);
    this.#accounts[at] = this.#account.numberOf(account);
  }

  /** Returns the verdict on an entry. */
  of(number: number): EntryVerdict {
    const at = number - 1;
    return {
      number,
      verdict: words[this.#verdicts[at]!]!,
      isImported: this.#imported[at] === 1,
      knownId: this.#knownIds[at] === 0 ? null : this.#knownIds[at]!,
      why: this.#reason.at(this.#reasons[at]!),
      currency: this.#currency.at(this.#currencies[at]!),
      account: this.#account.at(this.#accounts[at]!),
    };
  }
}

/** What a plan of an import needs. */
interface Planned {
  readonly work: PreviewWork;
  readonly opened: OpenPreview;
  readonly options: PreviewOptions;
  readonly dryRun: boolean;
  readonly choices?: ReadonlyMap<number, OnDoubt>;
  readonly onProgress: (entriesRead: number) => void;
}

/** Returns the import of a preview. After it, `verdicts` returns the verdicts. */
export function planOf(planned: Planned): { plan: ImportPlan; verdicts: () => EntryVerdicts } {
  const { work, opened, options, dryRun, choices, onProgress } = planned;
  const { statement, plan: accounts, chosen, remembered } = opened;
  const currency = chosen.currency ?? remembered.currency;
  let verdicts = new EntryVerdicts(0);
  const plan: ImportPlan = {
    ...accounts,
    dryRun,
    onProgress,
    importId: work.id,
    actor: work.actor,
    format: statement.format,
    keepsEmptyPayees: statement.isOwn,
    leftOut: leftOutOf(statement),
    ...given({ onDoubt: options.on_doubt }),
    ...(choices && { choices }),
    ...(currency !== undefined && { currency }),
    // The engine may start again.
    entries: () => {
      verdicts = new EntryVerdicts(statement.entryCount);
      return statement.entries() as Iterable<ImportEntry>;
    },
    onVerdict: (verdict) => verdicts.add(verdict),
  };
  return { plan, verdicts: () => verdicts };
}

/** Returns how many lines of a file are no entries. */
function leftOutOf({ leftOut }: Statement): number {
  return leftOut.reduce((sum, { count }) => sum + count, 0);
}
