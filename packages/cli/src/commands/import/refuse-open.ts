import { namesAccounts } from '@coffer/server/src/imports/account-plan.ts';
import type { ImportSummary } from '@coffer/server/src/imports/entry.ts';
import { printable } from '@coffer/core/text';
import { Failure } from '../../terminal/failure.ts';
import { count, quote } from '../../terminal/format.ts';
import { columnLines } from './ask.ts';
import { hint } from './choose-accounts.ts';
import type { Import, ReadFile } from './read-file.ts';
import { doubtfulRows } from './report.ts';

/** A file that was read and compared, before it is imported. */
interface ComparedWithBook {
  readonly path: string;
  readonly read: ReadFile;
  /** Rows for which neither the file, nor a flag, nor what is remembered names an account. */
  readonly withoutAccount: number;
  readonly summary: ImportSummary;
}

/**
 * Throws a {@link Failure} for an import with `--yes` if a user at a terminal would be asked about the file. It says
 * all that is open, each with the flags that settle it. What a new account had before its first row does not count.
 */
export function refuseOpen(file: ComparedWithBook, { options }: Import): void {
  const { path, read, withoutAccount, summary } = file;
  const doubtful = options.onDoubt === 'ask' ? summary.doubtful.count : 0;
  const lines = [
    ...payeeLines(path, read),
    ...(withoutAccount === 0 ? [] : [hint(path, withoutAccount, namesAccounts(read.statement))]),
    ...(doubtful === 0 ? [] : doubtLines(path, summary)),
  ];
  if (lines.length > 0) throw new Failure(lines.join('\n'));
}

function payeeLines(path: string, { columnsForPayee }: ReadFile): string[] {
  if (columnsForPayee.length === 0) return [];
  return [
    `No known column of ${quote(path)} has the payee. Give --map payee=COLUMN, or --map payee= if none has it`,
    ...columnLines(path, columnsForPayee),
  ];
}

function doubtLines(path: string, { doubtful }: ImportSummary): string[] {
  const rows = count(doubtful.count, 'row');
  const more = doubtful.count - doubtful.entries.length;
  return [
    `${rows} of ${printable(path)} may be in the book already. Give --on-doubt keep or --on-doubt skip:`,
    ...doubtfulRows(path, doubtful.entries),
    ...(more > 0 ? [`and ${more.toLocaleString('en')} more`] : []),
  ];
}
