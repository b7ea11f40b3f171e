import type { ReactElement } from 'react';
import { formatCompact, formatMoney, negate, roundedSum } from '../books/formats/money.ts';
import { partTexts as t } from '../texts/en/parts.ts';
import { usePreferences } from './preferences.ts';

/** An amount, and how it is shown. */
export interface MoneyProps {
  /** A decimal such as `-12.5000`. */
  readonly amount: string;
  readonly currency: string;
  /**
   * What the sign means. `debit`: as in transactions of the API, positive is money spent, shown without a sign, and
   * money received has a plus. `change`: an increase has a plus. `plain`: as it is.
   */
  readonly sign?: 'debit' | 'change' | 'plain';
  /** False where the currency is clear, such as in a column of the book's own; true by default. */
  readonly hasCurrency?: boolean;
  /** For sums: no more digits than the currency usually has. */
  readonly isRounded?: boolean;
}

/** An amount of money in tabular figures. The only place that shows amounts, so that privacy mode hides all of them. */
export function Money(props: MoneyProps): ReactElement {
  const { amount, sign = 'plain', hasCurrency = true, isRounded = false, currency } = props;
  const { locale, isPrivate } = usePreferences();
  if (isPrivate)
    return (
      <span className="money">
        <span aria-hidden="true">•••</span>
        <span className="hidden">{t.hidden}</span>
      </span>
    );
  const isCredit = sign === 'debit' && amount.startsWith('-');
  const shown = isCredit ? negate(amount) : amount;
  const text = formatMoney(shown, { locale, currency, hasCurrency, isRounded });
  const hasPlus = isCredit || (sign === 'change' && /^[^-]*[1-9]/.test(amount));
  return <span className={isCredit ? 'money credit' : 'money'}>{hasPlus ? `+${text}` : text}</span>;
}

/** A sum in ten-thousandths, in the places that its currency usually has. */
export function Sum(props: Omit<MoneyProps, 'amount'> & { readonly units: bigint }): ReactElement {
  const { units, ...rest } = props;
  return <Money amount={roundedSum(units, rest.currency)} {...rest} />;
}

/**
 * Returns a function that writes a sum as a text, for labels of charts that cannot contain `<Money>`. In privacy mode
 * it writes what screen readers read there.
 */
export function useSumText(currency: string): (units: bigint) => string {
  const { locale, isPrivate } = usePreferences();
  return (units) =>
    isPrivate ? t.hidden : formatMoney(roundedSum(units, currency), { locale, currency });
}

/** Returns a function that writes whole units of a currency shortly, for axes; in privacy mode it writes nothing. */
export function useAxisText(currency: string): (units: number) => string {
  const { locale, isPrivate } = usePreferences();
  return (units) => (isPrivate ? '' : formatCompact(units, { locale, currency }));
}
