import { formatAmount } from '@coffer/core/money';
import { updateUnlogged } from '../../book/unlogged.ts';
import type { Engine } from '../../db/engine.ts';
import { imports } from '../../db/tables/tables.ts';
import type { ComparedFile } from '../compare.ts';
import type { NumberedAccount } from '../entry.ts';
import type { PreviewWork } from '../operations/import-service.ts';
import type { PreviewOptions } from '../operations/preview-options.ts';
import { updatePreview } from '../operations/preview-records.ts';
import { storeRows } from '../operations/preview-rows.ts';
import type { StoredPreview } from '../operations/preview-rows.ts';
import type { PreviewReport } from '../operations/preview-schema.ts';
import type { ImportTally } from '../report.ts';

/** What is stored of a file that was compared. */
export interface ComparedPreview {
  readonly file: ComparedFile;
  readonly stored: StoredPreview;
  readonly report: PreviewReport;
  readonly options: PreviewOptions;
}

/** Stores the entries of a file, and what an import of them would do. */
export async function storeCompared(
  engine: Engine,
  { bookId, id }: PreviewWork,
  { file, stored, report, options }: ComparedPreview,
): Promise<void> {
  await storeRows(engine, { book_id: bookId, import_id: id }, file, stored.badRows);
  const { format } = stored;
  await engine.write(function* () {
    yield* updateUnlogged(imports, { book_id: bookId, id }, { format });
    yield* updatePreview(bookId, id, {
      status: 'ready',
      entry_count: file.entries.count,
      report: JSON.stringify(report),
      compared: JSON.stringify(stored),
      worker_until_ms: 0,
      options: JSON.stringify(options),
    });
  });
}

/** The part of a report that depends on the book. */
type ComparedReport = Omit<
  PreviewReport,
  'format' | 'mapping' | 'remembered' | 'warnings' | 'left_out' | 'bad_rows' | 'errors'
>;

/** Returns the part of a report that depends on the book. */
export function comparedReport(
  { counts, tally, names, values }: ComparedFile,
  { accounts, badRows }: Pick<StoredPreview, 'accounts' | 'badRows'>,
): ComparedReport {
  return {
    verdicts: { ...counts.verdicts, bad: badRows.length },
    imported: counts.imported,
    doubtful_imported: counts.doubtfulImported,
    sums: sumsOf(Object.entries(tally.sumByCurrency)),
    accounts: accountsOf(tally, new Map(accounts)),
    accounts_created: names.accountsCreated,
    categories_created: names.categoriesCreated,
    tags_created: names.tagsCreated,
    without_rate: values.result.withoutRate,
    first_date: tally.firstDate,
    last_date: tally.lastDate,
  };
}

/** Returns the sums of accounts; two numbers may have one name. */
function accountsOf({ accounts }: ImportTally, numbered: ReadonlyMap<string, NumberedAccount>) {
  const all = accounts.map(({ name, account, rows, sums }) => {
    const shown = name === null ? null : (numbered.get(name)?.name ?? name);
    return { name: shown, id: account?.isEarlier === true ? account.id : null, rows, sums };
  });
  const alike = Map.groupBy(all, ({ name, id }) => JSON.stringify([name, id]));
  return [...alike.values()].map((same) => {
    const sums = new Map<string, bigint>();
    for (const each of same)
      for (const [currency, sum] of each.sums) sums.set(currency, (sums.get(currency) ?? 0n) + sum);
    const rows = same.reduce((sum, each) => sum + each.rows, 0);
    const { name, id } = same[0]!;
    return { name, id, rows, sums: sumsOf([...sums]) };
  });
}

/** Returns sums as in a response, in the order of their currencies. */
function sumsOf(sums: readonly (readonly [string, bigint])[]) {
  const all = sums.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return all.map(([currency, sum]) => ({ currency, amount: formatAmount(sum) }));
}
