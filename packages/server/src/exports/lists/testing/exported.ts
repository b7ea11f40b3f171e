import { parseAmount } from '@coffer/core/money';
import type { BookExport } from '../export.ts';
import { exportNames } from '../file.ts';
import { rowSeparator } from '../wire-rows.ts';

/** One transaction of an export, with the names of its category, account and tags. */
export interface ExportedTransaction {
  readonly date: string;
  /** Ten-thousandths, debit positive. */
  readonly amount: number;
  readonly currency: string;
  readonly payee: string;
  readonly notes: string | null;
  readonly categoryName: string | null;
  readonly accountName: string | null;
  readonly externalId: string | null;
  readonly tagNames: readonly string[];
  readonly status: string;
  readonly id: number;
  /** The row with metadata as the API returns it (JSON). */
  readonly json: string;
}

interface Wire {
  readonly id: number;
  readonly date: string;
  readonly amount: string;
  readonly currency: string;
  readonly payee: string;
  readonly notes: string | null;
  readonly status: string;
  readonly external_id: string | null;
  readonly category_id: number | null;
  readonly manual_account_id: number | null;
  readonly plaid_account_id: number | null;
  readonly tag_ids: readonly number[];
}

/** Reads all transactions of an export, parsed independently of its formats. */
export async function exportedTransactions(book: BookExport): Promise<ExportedTransaction[]> {
  const names = exportNames(book);
  const rows: string[] = [];
  for await (const block of book.transactions({ withMetadata: true }))
    rows.push(...block.toString().split(rowSeparator));
  return rows.map((row) => {
    const json = row.replace(/\}\n([^]*)$/, '$1}');
    const { external_id, tag_ids, category_id, ...wire } = JSON.parse(json) as Wire;
    const { id, date, currency, payee, notes, status } = wire;
    const manual = names.manual.get(wire.manual_account_id ?? 0);
    return {
      ...{ id, date, currency, payee, notes, status, json },
      amount: parseAmount(wire.amount)!,
      externalId: external_id,
      categoryName: names.categories.get(category_id ?? 0) ?? null,
      accountName: manual ?? names.plaid.get(wire.plaid_account_id ?? 0) ?? null,
      tagNames: [...new Set(tag_ids.toSorted((a, b) => a - b))].flatMap(
        (each) => names.tags.get(each) ?? [],
      ),
    };
  });
}
