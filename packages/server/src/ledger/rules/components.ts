import type { TSchema } from 'typebox';
import * as schema from './schema.ts';

/** The schemas of this folder, by their name in the document. */
export const ruleComponents: Readonly<Record<string, TSchema>> = {
  RuleListResponse: schema.RuleList,
  Rule: schema.Rule,
  RuleInsert: schema.RuleInsert,
  RuleUpdate: schema.RuleUpdate,
  RuleOrder: schema.RuleOrder,
  RuleScope: schema.RuleScope,
  RulePreviewRequest: schema.RulePreviewRequest,
  RulePreview: schema.RulePreview,
  RuleApplication: schema.RuleApplication,
  ...schema.ruleParts,
};
