import type { Decision } from './comparison.ts';
import { ImportRefusedError } from './entry.ts';
import type {
  ImportAccount,
  ImportEntry,
  ImportPlan,
  ImportProblem,
  OnDoubt,
  Verdict,
} from './entry.ts';

const mostListed = 100;

/** Collects the problems of a file, so that all are reported at once, in bounded memory. */
export class ImportProblems {
  readonly #problems: ImportProblem[] = [];
  #count = 0;

  add(problem: ImportProblem): void {
    this.#count += 1;
    if (this.#problems.length < mostListed) this.#problems.push(problem);
  }

  get any(): boolean {
    return this.#count > 0;
  }

  /** Throws {@link ImportRefusedError} if there are problems. */
  refuse(): void {
    if (this.any) throw new ImportRefusedError(this.#problems, this.#count);
  }
}

/** The sums of one account of a file. */
export interface AccountTotal {
  /** As the file or the user names it; null for entries without an account. */
  readonly name: string | null;
  readonly account: ImportAccount | null;
  rows: number;
  /** In ten-thousandths, by currency. */
  readonly sums: Map<string, bigint>;
}

/** Accounts that are listed with their sums; a hostile file has thousands. */
const mostAccounts = 500;

/** Computes the first and last date of a file, and exact sums by currency, of all entries and of each account. */
export class ImportTally {
  readonly #sums = new Map<string, bigint>();
  readonly #accounts = new Map<string | null, AccountTotal>();
  firstDate: string | null = null;
  lastDate: string | null = null;

  add(
    { amount, date, account: name }: ImportEntry,
    currency: string,
    account: ImportAccount | null,
  ): void {
    addTo(this.#sums, currency, amount);
    if (this.firstDate === null || date < this.firstDate) this.firstDate = date;
    if (this.lastDate === null || date > this.lastDate) this.lastDate = date;
    let total = this.#accounts.get(name);
    if (total === undefined) {
      if (this.#accounts.size >= mostAccounts) return;
      total = { name, account, rows: 0, sums: new Map() };
      this.#accounts.set(name, total);
    }
    total.rows += 1;
    addTo(total.sums, currency, amount);
  }

  get sumByCurrency(): Record<string, bigint> {
    return Object.fromEntries(this.#sums);
  }

  /** In the order of the file; at most 500. */
  get accounts(): readonly AccountTotal[] {
    return [...this.#accounts.values()];
  }
}

function addTo(sums: Map<string, bigint>, currency: string, amount: number): void {
  sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amount));
}

/** What a user said about entries. */
type Choices = Pick<ImportPlan, 'choices' | 'onDoubt'>;
type Decided = Pick<Decision, 'verdict' | 'isLeftOut'>;

/** Whether an entry becomes a new transaction: as a user chose for it, or else by what was decided about it. */
export function becomesNew(
  { verdict, isLeftOut }: Decided,
  choice?: OnDoubt,
  onDoubt?: OnDoubt,
): boolean {
  if (choice !== undefined) return choice === 'keep';
  if (verdict === 'doubtful') return isLeftOut ? onDoubt === 'keep' : onDoubt !== 'skip';
  return verdict === 'new';
}

/** Counts what becomes of entries. */
export class VerdictCounts {
  readonly #choices: Choices;
  readonly verdicts: Record<Verdict, number> = { new: 0, known: 0, replaces: 0, doubtful: 0 };
  imported = 0;
  known = 0;
  replaced = 0;
  skippedByChoice = 0;
  doubtfulImported = 0;

  constructor(choices: Choices) {
    this.#choices = choices;
  }

  /** Returns whether the entry becomes a new transaction. */
  add(number: number, decision: Decided): boolean {
    const { verdict } = decision;
    const { choices, onDoubt } = this.#choices;
    const isImported = becomesNew(decision, choices?.get(number), onDoubt);
    this.verdicts[verdict] += 1;
    if (isImported) this.imported += 1;
    else if (verdict === 'known') this.known += 1;
    else if (verdict === 'replaces') this.replaced += 1;
    else this.skippedByChoice += 1;
    if (isImported && verdict === 'doubtful') this.doubtfulImported += 1;
    return isImported;
  }
}
