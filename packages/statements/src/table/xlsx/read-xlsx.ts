import type { OpenBytes } from '../../bytes/encoding.ts';
import { textOf } from '../html/entities.ts';
import { readHtml } from '../html/read-html.ts';
import type { Statement, StatementWarning } from '../../statement/statement.ts';
import type { ReaderOptions } from '../../statement/years.ts';

const HEAD_LENGTH = 4096;

/**
 * Reads the sheet of an .xlsx file, which unzip wrote as a table in HTML.
 * Errors: StatementError with every problem of the table, Refusal if reading cannot continue.
 */
export function readXlsx(openBytes: OpenBytes, options: ReaderOptions): Statement {
  const statement = readHtml(openBytes, options);
  const [head = new Uint8Array()] = openBytes();
  const others = warningOf(Buffer.from(head.subarray(0, HEAD_LENGTH)).toString('utf8'));
  const { warnings = [] } = statement;
  return {
    ...statement,
    format: 'xlsx',
    ...(others !== null && { warnings: [others, ...warnings] }),
  };
}

/** Says that there are other sheets. */
function warningOf(head: string): StatementWarning | null {
  const [, name = '', count = '1'] =
    /^<table class="xlsx" data-sheet="([^"]{0,300})" data-count="(\d{1,4})"/.exec(head) ?? [];
  if (Number(count) < 2) return null;
  const text = `Only the sheet "${textOf(name)}" is read, the largest of ${count}: save the others as CSV`;
  return { line: null, text };
}
