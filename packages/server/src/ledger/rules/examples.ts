import type { Rule, RulePreview } from './schema.ts';

const coffee: Rule = {
  id: 3,
  position: 1,
  name: 'Coffee',
  conditions: { payee: { operator: 'contains', value: 'coffee' }, amount: { max: '20.0000' } },
  actions: { category_id: 12, tag_ids: [4], reviewed: true },
  stop: false,
  created_at: '2026-01-02T09:00:00.000Z',
  updated_at: '2026-03-15T06:30:00.000Z',
};
const { name, conditions, actions } = coffee;
const flat = {
  name: 'Rent of a shared flat',
  conditions: { payee: { operator: 'is', value: 'Landlord' }, amount: { sign: 'debit' } },
  actions: {
    split: [
      { percentage: 50, category_id: 7 },
      { category_id: 8, notes: 'To be paid back' },
    ],
  },
};
const before = {
  payee: 'BLUE COFFEE 0042',
  category_id: null,
  tag_ids: [],
  notes: null,
  status: 'unreviewed',
};
const preview: RulePreview = {
  examined: 100,
  transactions: [
    {
      id: 2112140361,
      date: '2026-03-14',
      amount: '4.5000',
      currency: 'usd',
      rule_ids: [3],
      before,
      after: { ...before, category_id: 12, tag_ids: [4], status: 'reviewed' },
      parts: null,
    },
  ],
};

/** Example bodies; tests check each against its schema. */
export const ruleExamples = {
  one: { rule: { summary: 'A rule', value: coffee } },
  list: { rules: { summary: 'A book with one rule', value: { rules: [coffee] } } },
  insert: {
    category: { summary: 'Sets a category', value: { name, conditions, actions } },
    split: { summary: 'Splits transactions', value: flat },
  },
  update: {
    stop: { summary: 'Later rules are skipped', value: { ...coffee, stop: true } },
    split: { summary: 'Transactions are split', value: { actions: flat.actions } },
  },
  order: { both: { summary: 'A book with two rules', value: { rule_ids: [4, 3] } } },
  previewRequest: {
    all: { summary: 'All rules, on the latest 100 transactions', value: {} },
    planned: {
      summary: 'A rule that does not exist yet, in a month',
      value: {
        rule: { name, conditions, actions },
        start_date: '2026-03-01',
        end_date: '2026-03-31',
        transactions: 1000,
      },
    },
    split: { summary: 'A rule that would split transactions', value: { rule: flat } },
  },
  preview: { one: { summary: 'One transaction would be different', value: preview } },
  scope: {
    one: { summary: 'One rule, on the latest 1,000', value: { rule_id: 3, transactions: 1000 } },
  },
  application: { done: { summary: 'Two changed', value: { examined: 1000, changed: 2 } } },
};
