import { useCurrency } from '../../api/hooks.ts';
import { formatMoney } from '../../books/formats/money.ts';
import { usePreferences } from '../../parts/preferences.ts';
import { partTexts } from '../../texts/en/parts.ts';
import { accountOf } from '../../books/rows/rows.ts';
import type { Rule } from '../../books/rules/draft.ts';
import { ruleWords as t } from '../../texts/en/rules.ts';
import type { Names } from '../flow/names.ts';

/** Returns when a rule applies, in words; `shown` writes an amount. */
export function conditionsInWords(
  { conditions }: Pick<Rule, 'conditions'>,
  names: Names,
  shown: (amount: string) => string,
): string {
  const { payee, notes, amount = {}, category_id: category } = conditions;
  const { manual_account_id: manual = null, plaid_account_id: plaid = null } = conditions;
  const account = accountOf({ manual_account_id: manual, plaid_account_id: plaid });
  return joined([
    payee && `${t.payee[payee.operator]} ${t.quoted(payee.value)}`,
    notes && `${t.notes[notes.operator]} ${t.quoted(notes.value)}`,
    amountInWords(amount, (each) => shown(String(each))),
    amount.sign && t.signs[amount.sign],
    account && t.account(names.accounts.get(account) ?? t.gone),
    category && t.ofCategory(categoryIn(names, category)),
  ]);
}

function amountInWords(
  { equals, min, max }: NonNullable<Rule['conditions']['amount']>,
  shown: (amount: number | string) => string,
): string | undefined {
  if (equals !== undefined) return t.exactly(shown(equals));
  if (min !== undefined && max !== undefined) return t.between(shown(min), shown(max));
  if (min !== undefined) return t.least(shown(min));
  return max === undefined ? undefined : t.most(shown(max));
}

/** Returns what a rule does, in words. */
export function actionsInWords(
  { actions, stop }: Pick<Rule, 'actions' | 'stop'>,
  names: Names,
): string {
  const { payee, category_id: category, tag_ids: tags = [], notes, reviewed } = actions;
  return joined([
    category && categoryIn(names, category),
    payee && t.newPayee(payee),
    ...names.tagsOf({ tag_ids: [...tags] }).map(t.tag),
    notes && t.newNotes(notes),
    reviewed !== undefined && (reviewed ? t.reviewed : t.unreviewed),
    actions.exclude === true && t.excluded,
    actions.split && t.split(actions.split.length),
    stop && t.stop,
  ]);
}

function categoryIn(names: Names, id: number): string {
  return names.categoryOf({ category_id: id }) ?? t.gone;
}

function joined(parts: readonly (string | number | false | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(', ');
}

/** Returns a function that writes the amount of a condition; hidden in privacy mode. */
export function useAmountText(): (amount: string) => string {
  const { locale, isPrivate } = usePreferences();
  const currency = useCurrency();
  return (amount) =>
    isPrivate ? partTexts.hidden : formatMoney(amount, { locale, currency, hasCurrency: false });
}
