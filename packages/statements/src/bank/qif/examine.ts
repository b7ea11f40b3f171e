import type { Decimal } from '../../statement/amounts.ts';
import type { ConventionFinder } from '../../statement/convention.ts';
import type { DateOrder } from '../../statement/dates.ts';
import type { ProblemList } from '../../statement/statement-error.ts';
import type { StatementOptions } from '../../statement/statement.ts';
import type { QifReading, RawEntry } from './entry.ts';
import { amountFinder, dateFinder, isAmount } from './figures.ts';
import type { QifField } from './records.ts';

/** Detects the order of the dates and the decimal sign of a file from all of its entries, and collects problems. */
export class Examiner {
  readonly #problems: ProblemList;
  readonly #given: DateOrder | undefined;
  readonly #amounts: ConventionFinder<Decimal, number>;
  #dates: ConventionFinder<DateOrder, string> | null = null;

  constructor({ dateFormat, decimal }: StatementOptions, problems: ProblemList) {
    this.#problems = problems;
    this.#given = dateFormat;
    this.#amounts = amountFinder(decimal);
  }

  /** Adds an entry. `declared`: the order of dates that the file states above it. */
  add(raw: RawEntry, declared: DateOrder | undefined): void {
    this.#dates ??= dateFinder(this.#given ?? declared);
    const { line } = raw.record;
    if (raw.date === undefined) this.#problems.add(line, 'field D', null, 'Entry has no date');
    else this.#note(this.#dates, raw.date);
    if (raw.amount === undefined) this.#problems.add(line, 'field T', null, 'Entry has no amount');
    else this.#note(this.#amounts, raw.amount);
    for (const { amount, line: at } of raw.splits) {
      if (isAmount(amount)) this.#note(this.#amounts, { code: '$', line: at, value: amount });
    }
    if (raw.secondAmount === undefined) return;
    const reason = 'Entry has a second amount: perhaps a "^" is missing';
    this.#problems.add(raw.secondAmount.line, 'field T', raw.secondAmount.value, reason);
  }

  /** Adds a record that is left out: its date may show the order of the others. */
  addLeftOut({ date }: RawEntry, declared: DateOrder | undefined): void {
    this.#dates ??= dateFinder(this.#given ?? declared);
    if (date !== undefined) this.#dates.note(date.value, date.line, 'field D');
  }

  /** Reports ambiguous figures, and returns how to read the file. */
  finish(): QifReading {
    this.#dates ??= dateFinder(this.#given);
    for (const open of [this.#dates.ambiguity(), this.#amounts.ambiguity()]) {
      if (open !== null) this.#problems.addAmbiguity(open);
    }
    return { dateOrder: this.#dates.convention, decimal: this.#amounts.convention };
  }

  #note<C extends string, V extends string | number>(
    finder: ConventionFinder<C, V>,
    { code, line, value }: QifField,
  ): void {
    const column = `field ${code}`;
    const reason = finder.note(value, line, column);
    if (reason !== null) this.#problems.add(line, column, value, reason);
  }
}
