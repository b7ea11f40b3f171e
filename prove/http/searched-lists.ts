import { inTurn, lists, send, type Owners, type MarkedOwner } from './two-owners.ts';

/** Queries that lists cannot do without, or that make them longer. */
const needed: Readonly<Record<string, string>> = {
  '/v2/summary':
    '?start_date=2026-01-01&end_date=2026-12-31&include_totals=true&include_occurrences=true',
  '/v2/recurring_items': '?include_suggested=true',
  '/v1/budgets': '?start_date=2026-01-01&end_date=2026-12-31',
  '/v1/recurring_items': '?start_date=2026-01-01&end_date=2026-12-31',
  '/v1/recurring_expenses': '?start_date=2026-03-01',
  '/v1/transactions': '?start_date=2026-01-01&end_date=2026-12-31&pending=true',
  '/coffer/changes': '?limit=1000',
  '/coffer/export': '?format=ndjson',
  '/coffer/sums': '?by=month,category,account',
};
/** Lists with no text that an owner writes. */
const withoutTexts = new Set([
  ...['/v2/summary', '/v2/cryptocurrencies', '/v2/budgets/settings', '/coffer/budget_settings'],
  ...['/coffer/sums', '/coffer/transactions/months'],
]);

const idKinds = {
  category_id: 'category',
  manual_account_id: 'manual',
  plaid_account_id: 'plaid',
  recurring_id: 'recurring',
} as const;

function hasIdsOf({ ids }: MarkedOwner, text: string): boolean {
  return Object.entries(idKinds).some(([name, kind]) =>
    [...text.matchAll(new RegExp(`"${name}":(\\d+)`, 'g'))].some(([, id]) =>
      ids[kind].includes(Number(id)),
    ),
  );
}

export async function searchLists(url: string, owners: Owners): Promise<string[]> {
  const problems: string[] = [];
  const everything = 'include_pending=true&include_split_parents=true&include_group_children=true';
  const more = `?${everything}&include_children=true&include_metadata=true&include_files=true`;
  const targets = lists.flatMap((path) =>
    path === '/v2/transactions' ? [path, path + more] : [path + (needed[path] ?? '')],
  );
  for (const target of targets) {
    for (const [sender, other] of [inTurn(owners, 0), inTurn(owners, 1)]) {
      const { status, text } = await send(url, sender, { method: 'GET', target });
      if (status !== 200) problems.push(`GET ${target} returned ${status}`);
      const hasTexts = !withoutTexts.has(target.split('?', 1)[0]!);
      if (hasTexts && !text.includes(sender.mark))
        problems.push(`GET ${target} has no record of the owner`);
      if (text.includes(other.mark) || hasIdsOf(other, text))
        problems.push(`GET ${target} has a record of another book`);
    }
  }
  return problems;
}
