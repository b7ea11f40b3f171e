import { useMemo } from 'react';
import { useAccounts, useCategories, useLooks, useTags } from '../../api/hooks.ts';
import type { Look } from '../../books/looks.ts';
import { accountOf } from '../../books/rows/rows.ts';
import type { Category, Tag, Transaction } from '../../books/types.ts';

/** What the ids in transactions and recurring items mean. */
export interface Names {
  readonly categories: readonly Category[];
  readonly tags: readonly Tag[];
  /** Accounts of both kinds by `manual:1` or `plaid:1`. */
  readonly accounts: ReadonlyMap<string, string>;
  readonly categoryOf: (row: Pick<Transaction, 'category_id'>) => string | null;
  readonly lookOf: (row: Pick<Transaction, 'category_id'>) => Look | undefined;
  readonly tagsOf: (row: Pick<Transaction, 'tag_ids'>) => readonly string[];
  readonly accountOf: (
    row: Pick<Transaction, 'manual_account_id' | 'plaid_account_id'>,
  ) => string | null;
  /** The other account of a transfer, with its direction; absent where no list shows it. */
  readonly transferOf?: (row: Pick<Transaction, 'id'>) => string | null;
  /** The category that is suggested for a transaction without one; absent where none is. */
  readonly suggestionOf?: (row: Pick<Transaction, 'payee' | 'category_id'>) => string | null;
}

/** The names of categories, tags and accounts; ids stay unnamed until they are read. */
export function useNames(): Names {
  const { data: categories = noCategories } = useCategories();
  const { data: tags = noTags } = useTags();
  const { data } = useAccounts();
  const looks = useLooks();
  return useMemo(() => {
    const categoryNames = new Map(categories.map(({ id, name }) => [id, name]));
    const tagNames = new Map(tags.map(({ id, name }) => [id, name]));
    const accounts = new Map<string, string>(
      (['manual', 'plaid'] as const).flatMap((kind) =>
        (data?.[kind] ?? []).map(
          ({ id, name, display_name: shown }) => [`${kind}:${id}`, shown ?? name] as const,
        ),
      ),
    );
    return {
      categories,
      tags,
      accounts,
      categoryOf: (row) => categoryNames.get(row.category_id ?? -1) ?? null,
      lookOf: (row) => looks.get(row.category_id ?? -1),
      tagsOf: (row) => row.tag_ids.flatMap((id) => tagNames.get(id) ?? []),
      accountOf: (row) => accounts.get(accountOf(row)) ?? null,
    };
  }, [data, categories, tags, looks]);
}

const noCategories: readonly Category[] = [];
const noTags: readonly Tag[] = [];
