import { Type, type Static } from 'typebox';
import { amountInput } from '../../operations/amounts.ts';
import {
  amount,
  count,
  date,
  dateTime,
  day,
  exampleOf,
  flag,
  id,
  idPath,
  ignoring,
  list,
  listOf,
  notBlank,
  nullable,
  object,
  only,
  optional,
  partial,
  recordId,
  reference,
  text,
  word,
} from '../../operations/schema.ts';

/** Most rules of a book: each new transaction is compared with every rule. */
export const maxRules = 500;
/** Most transactions that a preview or an application of rules examines. */
export const maxExamined = 1_000_000;
/** Most transactions that a preview lists. */
export const maxListed = 1000;

export const operators = ['is', 'contains', 'starts_with'] as const;
export const signs = ['debit', 'credit'] as const;

const TextCondition = object(
  'RuleTextCondition',
  'Compares a text. Letter case, blanks around both texts, and their Unicode form are ignored.',
  {
    operator: word(operators, { description: 'How the texts are compared.' }),
    value: notBlank(350, 'The text to look for.'),
  },
  { example: { operator: 'contains', value: 'coffee' } },
);

const AmountCondition = object(
  'RuleAmountCondition',
  'Compares the amount in the currency of the transaction. `equals`, `min` and `max` ignore its sign.',
  {
    equals: optional(amountInput('The exact amount, at least 0; excludes `min` and `max`.')),
    min: optional(amountInput('The smallest amount, inclusive, at least 0.')),
    max: optional(amountInput('The largest amount, inclusive, at least 0.')),
    sign: optional(word(signs, { description: '`debit`: money out. `credit`: money in.' })),
  },
  { example: { max: '20.0000' } },
);

const Conditions = object(
  'RuleConditions',
  'At least one condition. The rule applies to a transaction if all of them hold.',
  {
    payee: optional(reference(TextCondition, 'The payee.')),
    notes: optional(reference(TextCondition, 'The notes.')),
    amount: optional(reference(AmountCondition, 'The amount.')),
    manual_account_id: optional(recordId('The manual account; excludes `plaid_account_id`.')),
    plaid_account_id: optional(recordId('The synced account.')),
    category_id: optional(recordId('The category, not a group.')),
  },
  {
    example: {
      payee: exampleOf(TextCondition),
      amount: exampleOf(AmountCondition),
    },
  },
);

const Part = object(
  'RulePart',
  'A part of a split. Every part but the last has either `amount` or `percentage`; the last one gets the rest.',
  {
    amount: optional(
      amountInput('Amount above 0; it gets the sign of the amount of the transaction.'),
    ),
    percentage: optional(
      amountInput(
        'Percentage of the amount, above 0 and below 100. The result is rounded to the minor unit of the currency, ' +
          'half to even.',
      ),
    ),
    payee: optional(notBlank(140, 'Payee of the part; by default that of the transaction.')),
    category_id: optional(
      recordId('Category of the part, not a group; by default that of the transaction.'),
    ),
    notes: optional(notBlank(350, 'Notes of the part; by default those of the transaction.')),
  },
  { example: { percentage: 50, category_id: 7 } },
);

const Actions = object(
  'RuleActions',
  'At least one action. All of them are performed.',
  {
    payee: optional(notBlank(140, 'The new payee; `original_name` keeps the first one.')),
    category_id: optional(recordId('The new category, not a group.')),
    tag_ids: optional(
      Type.Array(recordId('Id of a tag.'), {
        minItems: 1,
        maxItems: 100,
        description: 'Tags to add; the transaction keeps its own.',
      }),
    ),
    notes: optional(notBlank(350, 'The new notes.')),
    reviewed: optional(flag('Whether the transaction becomes `reviewed` or `unreviewed`.')),
    exclude: optional(
      Type.Unsafe<true>({
        type: 'boolean',
        enum: [true],
        description:
          'Keeps the transaction out of totals: it gets the first category, by id, that has `exclude_from_totals` and ' +
          'is not archived. Excludes `category_id`. Needs such a category.',
      }),
    ),
    split: optional(
      Type.Array(reference(Part), {
        minItems: 2,
        maxItems: 50,
        description:
          'Splits new transactions. Parts that leave nothing for another part are not made: then the transaction is ' +
          'not split.',
      }),
    ),
  },
  { example: { category_id: 12, tag_ids: [4], reviewed: true } },
);

const words = {
  name: notBlank(100, 'Name of the rule.'),
  conditions: reference(Conditions, 'When the rule applies.'),
  actions: reference(Actions, 'What the rule does.'),
};
const flags = {
  stop: flag('Whether later rules skip the transactions to which this rule applies.'),
  enabled: flag('Whether the rule is on. One that is off does not apply.'),
};

export const Rule = object(
  'Rule',
  'A rule that completes new transactions.',
  {
    id: id('Id of the rule.'),
    position: Type.Integer({ minimum: 1, description: 'Its place in the order, from 1.' }),
    ...words,
    ...flags,
    created_at: dateTime('When it was created.'),
    updated_at: dateTime('When it was last changed.'),
  },
  {
    example: {
      id: 3,
      position: 1,
      name: 'Coffee',
      conditions: exampleOf(Conditions),
      actions: exampleOf(Actions),
      stop: false,
      enabled: true,
      created_at: '2026-01-02T09:00:00.000Z',
      updated_at: '2026-03-15T06:30:00.000Z',
    },
  },
);
export type Rule = Static<typeof Rule>;

export const RuleList = list('rules', Rule, 'In the order in which they apply.');
export const RulePath = idPath('rule');

export const RuleInsert = object(
  'RuleInsert',
  'A new rule. It becomes the last one.',
  {
    ...words,
    ...partial(flags),
  },
  { example: only(exampleOf(Rule), ['name', 'conditions', 'actions']) },
);
export type RuleInsert = Static<typeof RuleInsert>;

export const RuleUpdate = object(
  'RuleUpdate',
  'Changes to a rule. `conditions` and `actions` replace all earlier ones.',
  {
    ...partial({ ...words, ...flags }),
    ...ignoring('id', 'position', 'created_at', 'updated_at'),
  },
);
export type RuleUpdate = Static<typeof RuleUpdate>;

export const RuleOrder = object(
  'RuleOrder',
  'The order of all rules.',
  {
    rule_ids: Type.Array(recordId('Id of a rule.'), {
      maxItems: maxRules,
      description: 'The id of every rule of the book, each once.',
    }),
  },
  { example: { rule_ids: [4, 3] } },
);

const scope = {
  rule_id: optional(
    recordId('Only this rule, on or off; by default all that are on, in their order.'),
  ),
  start_date: optional(day('First date of the transactions, inclusive.')),
  end_date: optional(day('Last date of the transactions, inclusive.')),
  transactions: optional(
    Type.Integer({
      minimum: 1,
      maximum: maxExamined,
      description: 'How many transactions are examined, the latest first; 100 by default.',
    }),
  ),
};
const notSplit =
  'Split transactions, their parts, groups, and transactions of recurring items are left out.';

export const RuleScope = object(
  'RuleScope',
  `Which rules, and which transactions. ${notSplit}`,
  scope,
  { example: { rule_id: 3, transactions: 1000 } },
);
export type RuleScope = Static<typeof RuleScope>;

export const RulePreviewRequest = object(
  'RulePreviewRequest',
  `Which rules, and which transactions. ${notSplit}`,
  {
    ...scope,
    rule: optional(
      reference(RuleInsert, 'A rule that does not exist yet, alone; excludes `rule_id`.'),
    ),
    limit: optional(
      Type.Integer({
        minimum: 0,
        maximum: maxListed,
        description: `How many of those that would be different are listed; ${maxListed} by default.`,
      }),
    ),
  },
);
export type RulePreviewRequest = Static<typeof RulePreviewRequest>;

const Effect = object(
  'RuleEffect',
  'What rules can change of a transaction.',
  {
    payee: text('The payee.'),
    category_id: nullable(id('Id of the category.')),
    tag_ids: Type.Array(id('Id of a tag.'), { description: 'The tags.' }),
    notes: nullable(text('The notes.')),
    status: text('Such as `reviewed` or `unreviewed`.'),
  },
  {
    example: {
      payee: 'BLUE COFFEE 0042',
      category_id: null,
      tag_ids: [],
      notes: null,
      status: 'unreviewed',
    },
  },
);
const PreviewPart = object(
  'RulePreviewPart',
  'A part of a split.',
  {
    amount: amount('Amount of the part.'),
    payee: text('The payee.'),
    category_id: nullable(id('Id of the category.')),
    notes: nullable(text('The notes.')),
  },
  { example: { amount: '2.2500', payee: 'Landlord', category_id: 7, notes: null } },
);
const Previewed = object(
  'RulePreviewTransaction',
  'A transaction that the rules would have changed.',
  {
    id: id('Id of the transaction.'),
    date: date('Its date.'),
    amount: amount('Its amount.'),
    currency: text('Its currency.'),
    rule_ids: Type.Array(id('Id of a rule.'), {
      description:
        'The rules that apply, in their order; empty for a rule that does not exist yet.',
    }),
    before: reference(Effect, 'As it is.'),
    after: reference(Effect, 'As the rules would have made it.'),
    parts: nullable(
      listOf(
        PreviewPart,
        'The parts into which a rule splits new transactions like it; null if none does.',
      ),
    ),
  },
  {
    example: {
      id: 2112140361,
      date: '2026-03-14',
      amount: '4.5000',
      currency: 'usd',
      rule_ids: [3],
      before: exampleOf(Effect),
      after: { ...exampleOf(Effect), category_id: 12, tag_ids: [4], status: 'reviewed' },
      parts: null,
    },
  },
);
export const RulePreview = object(
  'RulePreview',
  'What the rules would have changed.',
  {
    examined: count('Number of examined transactions.'),
    changed: count('Number of transactions that would be different.'),
    transactions: listOf(Previewed, 'The latest transactions that would be different.'),
  },
  { example: { examined: 100, changed: 1, transactions: [exampleOf(Previewed)] } },
);
export type RulePreview = Static<typeof RulePreview>;

export const RuleApplication = object(
  'RuleApplication',
  'What an application of rules did.',
  {
    examined: count('Number of examined transactions.'),
    changed: count('Number of changed transactions.'),
  },
  { example: { examined: 1000, changed: 2 } },
);

export type RuleConditions = Static<typeof Conditions>;
export type RuleActions = Static<typeof Actions>;

const split = {
  name: 'Rent of a shared flat',
  conditions: { payee: { operator: 'is', value: 'Landlord' }, amount: { sign: 'debit' } },
  actions: {
    split: [exampleOf(Part), { category_id: 8, notes: 'To be paid back' }],
  },
} satisfies RuleInsert;

/** Examples of bodies. */
export const ruleExamples = {
  insert: {
    category: { summary: 'Sets a category', value: exampleOf(RuleInsert) },
    split: { summary: 'Splits transactions', value: split },
  },
  update: {
    stop: { summary: 'Later rules are skipped', value: { ...exampleOf(Rule), stop: true } },
    split: { summary: 'Transactions are split', value: { actions: split.actions } },
  },
  previewRequest: {
    all: { summary: 'All rules, on the latest 100 transactions', value: {} },
    planned: {
      summary: 'A rule that does not exist yet, in a month',
      value: {
        rule: exampleOf(RuleInsert),
        start_date: '2026-03-01',
        end_date: '2026-03-31',
        transactions: 1000,
      },
    },
    split: { summary: 'A rule that would split transactions', value: { rule: split } },
  },
};
