import { changed, created, noContent, ok } from '../../operations/responses.ts';
import { read, write, type Operation } from '../../operations/operation.ts';
import { createRule, listRules, orderRules, removeRule, ruleOf, updateRule } from './actions.ts';
import { applyToExisting, previewRules } from './examine.ts';
import { ruleExamples as examples } from './schema.ts';
import * as schema from './schema.ts';

const one = { path: '/coffer/rules/{id}', tag: 'rules', params: schema.RulePath } as const;
const all = { path: '/coffer/rules', tag: 'rules' } as const;

/** The operations of this folder. */
export const ruleRoutes: readonly Operation[] = [
  read(
    {
      ...all,
      id: 'getAllRules',
      summary: 'List rules',
      description: 'Returns all rules of the book.',
      response: ok(schema.RuleList, 'The rules.'),
    },
    function* ({ bookId }) {
      return { rules: yield* listRules(bookId) };
    },
    { isOneStatement: true },
  ),
  write(
    'POST',
    {
      ...all,
      id: 'createRule',
      summary: 'Create a rule',
      description:
        'The rule is the last one, and applies to new transactions only. A book can have 500 rules.',
      body: schema.RuleInsert,
      bodyExamples: examples.insert,
      response: created(schema.Rule, 'The new rule.'),
    },
    function* ({ body }, change) {
      return yield* createRule(change, body);
    },
  ),
  write(
    'PUT',
    {
      ...all,
      path: '/coffer/rules/order',
      id: 'orderRules',
      summary: 'Set the order of the rules',
      description: 'Later rules see what the earlier ones changed.',
      body: schema.RuleOrder,
      response: changed(schema.RuleList, 'The rules in their new order.'),
    },
    function* ({ body }, change) {
      return { rules: yield* orderRules(change, body.rule_ids) };
    },
  ),
  read(
    {
      ...all,
      path: '/coffer/rules/preview',
      id: 'previewRules',
      size: 'unbounded',
      summary: 'Preview rules',
      description:
        'Returns what all rules, one rule, or a rule that does not exist yet would have changed of the latest ' +
        'transactions. Changes nothing.',
      body: schema.RulePreviewRequest,
      bodyExamples: examples.previewRequest,
      response: changed(schema.RulePreview, 'The differences.'),
    },
    function* ({ bookId, body }) {
      return yield* previewRules(bookId, body);
    },
    { method: 'POST' },
  ),
  write(
    'POST',
    {
      ...all,
      path: '/coffer/rules/apply',
      id: 'applyRules',
      size: 'unbounded',
      summary: 'Apply rules to existing transactions',
      description: 'One change of the book. The transactions are not split.',
      body: schema.RuleScope,
      response: changed(schema.RuleApplication, 'The numbers.'),
    },
    function* ({ body }, change) {
      return yield* applyToExisting(change, body);
    },
  ),
  read(
    {
      ...one,
      id: 'getRuleById',
      summary: 'Get a rule',
      response: ok(schema.Rule, 'The rule.'),
    },
    function* ({ bookId, params }) {
      return yield* ruleOf(bookId, params.id);
    },
    { isOneStatement: true },
  ),
  write(
    'PUT',
    {
      ...one,
      id: 'updateRule',
      summary: 'Update a rule',
      body: schema.RuleUpdate,
      bodyExamples: examples.update,
      response: changed(schema.Rule, 'The changed rule.'),
    },
    function* ({ params, body }, change) {
      return yield* updateRule(change, params.id, body);
    },
  ),
  write(
    'DELETE',
    {
      ...one,
      id: 'deleteRule',
      summary: 'Delete a rule',
      response: noContent('The rule is deleted.'),
    },
    function* ({ params }, change) {
      yield* removeRule(change, params.id);
    },
  ),
];
