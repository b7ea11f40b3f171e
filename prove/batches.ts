import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The rows of a batch are told by their payee. */
export function payeeOf(batch: number): string {
  return `Batch ${batch}`;
}

/** The batch that a payee tells of, or undefined when it is none of ours. */
export function batchOf(payee: string): number | undefined {
  const digits = /^Batch (\d+)$/.exec(payee)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Writes a statement that is one batch. Its rows are spread over two accounts and some months, so that one import
 * writes to many pages.
 */
export function writeStatement(folder: string, batch: number, rowCount: number): string {
  const path = join(folder, `batch-${batch}.csv`);
  const rows = Array.from({ length: rowCount }, (_, index) => {
    const month = String(1 + (index % 12)).padStart(2, '0');
    return `2024-${month}-15,${payeeOf(batch)},-${index + 1}.00,${index % 2 === 0 ? 'Cash' : 'Bank'}`;
  });
  writeFileSync(path, `Date,Payee,Amount,Account\n${rows.join('\n')}\n`);
  return path;
}
