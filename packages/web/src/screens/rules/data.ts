import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useRead } from '../../api/hooks.ts';
import { keys } from '../../api/keys.ts';
import { request } from '../../api/request.ts';
import type { Rule, RuleInsert } from '../../books/rules/draft.ts';
import type { Schemas } from '../../books/types.ts';
import { rulesTexts as t } from '../../texts/en/rules.ts';
import { useOwnChanges } from '../flow/own-changes.ts';

/** As many as the server examines: all of them. */
const transactions = 1_000_000;
const listed = 3;
const typingMs = 250;

/** All rules in their order. */
export function useRules(): UseQueryResult<readonly Rule[]> {
  return useRead(keys.rules, 'GET /coffer/rules', { select: ({ rules }) => rules });
}

/** What a rule would change of all transactions; undefined until it is known, and while there is no rule. */
export function useRulePreview(
  rule: { readonly rule: RuleInsert } | { readonly rule_id: number } | null,
): Schemas['RulePreview'] | undefined {
  const wanted = JSON.stringify(rule);
  const [text, setText] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setText(wanted), typingMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { data } = useQuery({
    queryKey: [...keys.transactions, 'rule', text],
    queryFn: ({ signal }) => {
      const body = { ...(JSON.parse(text) as object), transactions, limit: listed };
      return request('POST /coffer/rules/preview', { body, signal });
    },
    enabled: text !== 'null',
    placeholderData: keepPreviousData,
  });
  return rule === null ? undefined : data;
}

/** What can be done with rules; each can be taken back. */
export interface RuleActions {
  /** Creates a rule or changes one, and applies it to the transactions that exist if that is wanted. */
  readonly save: (id: number | null, body: RuleInsert, isForPast: boolean) => Promise<unknown>;
  readonly turn: (rule: Rule, enabled: boolean) => Promise<unknown>;
  readonly order: (ids: readonly number[], name: string) => Promise<unknown>;
  readonly apply: (id: number) => Promise<unknown>;
  readonly remove: (rule: Pick<Rule, 'id' | 'name'>) => Promise<unknown>;
  readonly undo: () => Promise<void>;
}

/** The actions of rules. */
export function useRuleActions(): RuleActions {
  const { change, undo } = useOwnChanges(keys.rules, keys.transactions, keys.payees, keys.budgets);
  const put = (id: number, body: Schemas['RuleUpdate']): Promise<Rule> =>
    request('PUT /coffer/rules/{id}', { path: { id }, body });
  const applied = async (id: number): Promise<number> => {
    const body = { rule_id: id, transactions };
    return (await request('POST /coffer/rules/apply', { body })).changed;
  };
  return {
    save: (id, body, isForPast) =>
      change(
        async () => {
          const rule =
            id === null ? await request('POST /coffer/rules', { body }) : await put(id, body);
          return isForPast ? applied(rule.id) : 0;
        },
        (past) => (id === null ? t.created : t.saved)(body.name, past),
        (past) => (past === 0 ? 1 : 2),
      ),
    turn: ({ id, name }, enabled) =>
      change(() => put(id, { enabled }), (enabled ? t.turnedOn : t.turnedOff)(name)),
    order: (ids, name) =>
      change(
        () => request('PUT /coffer/rules/order', { body: { rule_ids: [...ids] } }),
        t.moved(name),
      ),
    apply: (id) =>
      change(
        () => applied(id),
        t.applied,
        (count) => (count === 0 ? 0 : 1),
      ),
    remove: ({ id, name }) =>
      change(() => request('DELETE /coffer/rules/{id}', { path: { id } }), t.removed(name)),
    undo,
  };
}
