import { content } from './content.ts';
import { readCsv } from './csv.ts';
import { detectFormat } from './detect-format.ts';
import { readOfx } from './ofx.ts';
import { Refusal } from './statement-error.ts';
import type { Statement, StatementOptions, StatementSource } from './statement.ts';

const DEFAULT_MAX_BYTES = 2 ** 31;

/**
 * Reads a bank's file: tells its format by its content, and examines it from end to end before anything of it is used.
 * Plain or gzip. Memory does not grow with the file.
 * Edges: a header or an account without entries is an empty statement; an empty file is refused.
 * Errors: StatementError with every problem of the file; whatever the source itself throws.
 */
export function readStatement(source: StatementSource, options: StatementOptions = {}): Statement {
  const openBytes = () => content(source, options.maxBytes ?? DEFAULT_MAX_BYTES);
  try {
    const [head] = openBytes();
    if (head === undefined) throw new Refusal('File is empty');
    const format = options.format ?? detectFormat(head);
    if (format === 'csv') return readCsv(openBytes, options);
    if (format === 'ofx') return readOfx(openBytes, options);
    throw new Refusal(`File is ${format.toUpperCase()}, which is not read: only CSV and OFX are`);
  } catch (error) {
    throw error instanceof Refusal ? error.at(1) : error;
  }
}
