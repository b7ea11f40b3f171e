import type { CallOptions } from '../../sending/options.ts';
import { listShape, objectShape, recordMethods, recordShape } from '../resource.ts';
import type { Call, RecordMethods, Schema } from '../resource.ts';

/** A rule that changes transactions. */
export type Rule = Schema<'Rule'>;
/** A new rule. */
export type RuleInsert = Schema<'RuleInsert'>;
/** New values for properties of a rule; a complete record is accepted too. */
export type RuleUpdate = Schema<'RuleUpdate'>;
/** Which rules to apply to which transactions. */
export type RuleScope = Schema<'RuleScope'>;
/** Which rules to preview; `rule` is one that does not exist yet. */
export type RulePreviewRequest = Schema<'RulePreviewRequest'>;
/** The effect that rules would have. */
export type RulePreview = Schema<'RulePreview'>;
/** How many transactions were examined and changed. */
export type RuleApplication = Schema<'RuleApplication'>;

/** Methods of rules. All reject with an error of this library, or with the reason of an aborted signal. */
export interface Rules extends RecordMethods<
  Rule,
  RuleInsert,
  RuleUpdate,
  Readonly<Record<string, never>>
> {
  /** All rules, in the order in which they are applied. */
  list(options?: CallOptions): Promise<readonly Rule[]>;
  /** Puts the rules in another order, by all their ids, and resolves to them. */
  order(ids: readonly number[], options?: CallOptions): Promise<readonly Rule[]>;
  /** Shows what rules would do to existing transactions. Changes nothing. */
  preview(request?: RulePreviewRequest, options?: CallOptions): Promise<RulePreview>;
  /** Applies rules to existing transactions. */
  apply(scope?: RuleScope, options?: CallOptions): Promise<RuleApplication>;
}

const rule = recordShape<Rule>('a rule');
const rules = listShape<Rule>('rules');
const preview = objectShape<RulePreview>('a preview');
const application = objectShape<RuleApplication>('the result of rules');

/** The rules of a client; `call` is that of Coffer's own API. */
export function makeRules(call: Call): Rules {
  return {
    ...recordMethods(call, ['rules'], rule),
    list: (options) => call(rules, ['rules'], options),
    order: (rule_ids, options) =>
      call(rules, ['rules', 'order'], { ...options, method: 'PUT', body: { rule_ids } }),
    preview: (body = {}, options) =>
      call(preview, ['rules', 'preview'], { ...options, method: 'POST', body }),
    apply: (body = {}, options) =>
      call(application, ['rules', 'apply'], { ...options, method: 'POST', body }),
  };
}
