import type { Rule, RulePreview } from '@coffer/server/src/ledger/rules/schema.ts';
import type { RuleNames } from '@coffer/server/src/ledger/rules/commands.ts';
import { quote } from '../../terminal/format.ts';

type Previewed = RulePreview['transactions'][number];

/** Returns when a rule applies, in words, such as `payee contains "coffee", at most 20.0000`. */
export function describeConditions({ conditions }: Rule, names: RuleNames): string {
  const {
    payee,
    notes,
    amount = {},
    category_id,
    manual_account_id,
    plaid_account_id,
  } = conditions;
  const { equals, min, max, sign } = amount;
  return joined([
    payee && `payee ${describeText(payee)}`,
    notes && `notes ${describeText(notes)}`,
    equals !== undefined && `amount ${equals}`,
    min !== undefined && `at least ${min}`,
    max !== undefined && `at most ${max}`,
    sign,
    manual_account_id && `account ${nameOf(names.manualAccounts, manual_account_id)}`,
    plaid_account_id && `account ${nameOf(names.plaidAccounts, plaid_account_id)}`,
    category_id && `category ${nameOf(names.categories, category_id)}`,
  ]);
}

/** Returns what a rule does, in words, such as `category "Food", reviewed`. */
export function describeActions({ actions, stop }: Rule, names: RuleNames): string {
  const { payee, category_id, tag_ids = [], notes, reviewed, exclude, split } = actions;
  return joined([
    payee !== undefined && `payee ${quote(payee)}`,
    category_id !== undefined && `category ${nameOf(names.categories, category_id)}`,
    ...tag_ids.map((id) => `tag ${nameOf(names.tags, id)}`),
    notes !== undefined && `notes ${quote(notes)}`,
    reviewed !== undefined && statusOf(reviewed),
    exclude === true && 'exclude',
    split && `split into ${split.length}`,
    stop && 'stop',
  ]);
}

/** Returns what rules would have changed of a transaction, in words. */
export function describeDifference({ before, after, parts }: Previewed, names: RuleNames): string {
  const added = after.tag_ids.filter((id) => !before.tag_ids.includes(id));
  return joined([
    before.payee !== after.payee && `payee ${quote(after.payee)}`,
    before.category_id !== after.category_id &&
      after.category_id !== null &&
      `category ${nameOf(names.categories, after.category_id)}`,
    ...added.map((id) => `tag ${nameOf(names.tags, id)}`),
    before.notes !== after.notes && `notes ${quote(after.notes ?? '')}`,
    before.status !== after.status && after.status,
    parts && `split into ${parts.map(({ amount }) => amount).join(' + ')}`,
  ]);
}

function describeText({ operator, value }: NonNullable<Rule['conditions']['payee']>): string {
  return `${operator.replace('_', ' ')} ${quote(value)}`;
}

function statusOf(isReviewed: boolean): string {
  return isReviewed ? 'reviewed' : 'unreviewed';
}

/** The name of a record, or its id if it does not exist. */
function nameOf(records: RuleNames['tags'], id: number): string {
  const [name] = records.find((each) => each.id === id)?.names ?? [];
  return name === undefined ? String(id) : quote(name);
}

function joined(parts: readonly (string | number | boolean | null | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string').join(', ');
}
