import type { Decimal } from '../../statement/amounts.ts';
import type { LeftOut } from '../../statement/statement.ts';
import type { CurrencySurvey } from './currency.ts';
import type { DateDecision } from './date-survey.ts';
import type { MoneyRules } from './signs.ts';

/** What the rows of a table show, before a balance is looked at. */
export interface Examined {
  readonly dates: DateDecision;
  readonly decimal: Decimal;
  readonly money: MoneyRules;
  readonly currencies: CurrencySurvey;
  readonly leftOut: readonly LeftOut[];
  /** Rows with entries, of which `undatedCount` have no date yet. */
  readonly entryCount: number;
  readonly undatedCount: number;
  readonly badCount: number;
  /** The first line that has a date and no amount. */
  readonly blankLine: number | null;
  readonly hasPayees: boolean;
  readonly hasPending: boolean;
  /** The line of the last entry: only text follows. */
  readonly lastLine: number;
}
