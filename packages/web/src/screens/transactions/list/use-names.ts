import { useMemo } from 'react';
import { useAccounts, useCategories, useTags } from '../../../api/hooks.ts';
import type { Category, Tag, Transaction } from '../../../api/types.ts';

/** What the ids in transactions mean. */
export interface Names {
  readonly categories: readonly Category[];
  readonly tags: readonly Tag[];
  readonly categoryOf: (row: Pick<Transaction, 'category_id'>) => string | null;
  readonly tagsOf: (row: Pick<Transaction, 'tag_ids'>) => readonly string[];
  readonly accountOf: (
    row: Pick<Transaction, 'manual_account_id' | 'plaid_account_id'>,
  ) => string | null;
  /** The category that is suggested for a transaction without one; absent where none is. */
  readonly suggestionOf?: (row: Pick<Transaction, 'payee' | 'category_id'>) => string | null;
}

/** The names of categories, tags and accounts; ids stay unnamed until they are read. */
export function useNames(): Names {
  const { data: categories } = useCategories();
  const { data: tags } = useTags();
  const { data: accounts } = useAccounts();
  return useMemo(() => {
    const categoryNames = new Map(categories?.map(({ id, name }) => [id, name]));
    const tagNames = new Map(tags?.map(({ id, name }) => [id, name]));
    const manual = new Map(
      accounts?.manual.map(({ id, name, display_name: shown }) => [id, shown ?? name]),
    );
    const plaid = new Map(
      accounts?.plaid.map(({ id, name, display_name: shown }) => [id, shown ?? name]),
    );
    return {
      categories: categories ?? [],
      tags: tags ?? [],
      categoryOf: (row) => categoryNames.get(row.category_id ?? -1) ?? null,
      tagsOf: (row) => row.tag_ids.flatMap((id) => tagNames.get(id) ?? []),
      accountOf: (row) =>
        manual.get(row.manual_account_id ?? -1) ?? plaid.get(row.plaid_account_id ?? -1) ?? null,
    };
  }, [accounts, categories, tags]);
}
