import type { TestLine } from './archives.ts';

/** Which table the id of a column is of; kept here again, apart from the descriptions. */
const tableOf: Readonly<Record<string, string>> = {
  category_id: 'categories',
  own_category_id: 'categories',
  group_id: 'categories',
  override_category_id: 'categories',
  recurring_id: 'recurring_items',
  import_id: 'imports',
  manual_account_id: 'manual_accounts',
  plaid_account_id: 'plaid_accounts',
  split_parent_id: 'transactions',
  group_parent_id: 'transactions',
  transaction_id: 'transactions',
  sent_id: 'transactions',
  received_id: 'transactions',
  account_id: 'crypto_synced_accounts',
  crypto_manual_id: 'crypto_manual_accounts',
  crypto_synced_id: 'crypto_synced_accounts',
  deleted_account_id: 'deleted_accounts',
  connection_id: 'connections',
};

/** Returns records with the place of each record in its table instead of its id, in a fixed order. */
export function withoutIds(lines: readonly TestLine[], userId: number): string[] {
  const places = new Map<string, number>();
  const inTable = Map.groupBy(lines, ({ table }) => table);
  for (const [table, all] of inTable) {
    // New ids follow the order of groups, then categories.
    const nameOf = ({ row }: TestLine): string => String(row['name']);
    const sorted =
      table === 'categories' ? all.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) : all;
    for (const [place, each] of sorted.entries())
      places.set(`${table} ${String(each.row['id'])}`, place);
  }
  const placeOf = (table: string, id: unknown): unknown => places.get(`${table} ${String(id)}`);
  const relabelled = (table: string, value: object): unknown =>
    JSON.parse(JSON.stringify(value), (name, each: unknown) => {
      if (name === 'tag_ids' && Array.isArray(each)) return each.map((id) => placeOf('tags', id));
      if (['tag_ids', 'conditions', 'actions'].includes(name) && typeof each === 'string')
        return relabelled('', { [name]: JSON.parse(each) as unknown });
      if (name in tableOf && each !== null)
        return `${tableOf[name]} ${String(placeOf(tableOf[name]!, each))}`;
      if (['created_by', 'uploaded_by'].includes(name)) return each === userId ? 'the owner' : each;
      return name === 'id' ? placeOf(table, each) : each;
    });
  return lines.map(({ table, row }) => JSON.stringify([table, relabelled(table, row)])).toSorted();
}
