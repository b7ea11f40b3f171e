import { shorten } from '@coffer/core/text';
import { MAX_SHOWN_LENGTH, type Refusal } from '../../statement/statement-error.ts';
import type { Row } from './rows.ts';
import type { Header } from './header.ts';

/** The delimiter, the first row and the columns of a table. */
export interface Layout extends Header {
  readonly form: string;
  /** Rows above this line are not entries. */
  readonly firstLine: number;
  /** The only currency that the text above the table has; null if there is none or more. */
  readonly preambleCurrency: string | null;
  /** The only number of an account in the text above the table, without blanks; null if there is none or more. */
  readonly accountAbove: string | null;
  /** The dates in the text above the table, as written. */
  readonly datesAbove: readonly string[];
  /** Whether the text above the table is of a card. */
  readonly isCardAbove: boolean;
  /** Whether that text is in Thai. */
  readonly isThaiAbove: boolean;
  /** Whether the columns were found by their content. */
  readonly isInferred: boolean;
}

/** The first rows of a table. */
export interface Head {
  readonly form: string;
  readonly rows: Row[];
  /** Why no more rows could be read. */
  refusal: Refusal | null;
}

/** Whether a name of a column is in a script of East Asia. */
export function isEastAsian(names: readonly string[]): boolean {
  return names.some((name) =>
    /[\p{Script=Han}\p{Script=Hangul}\p{Script=Katakana}\p{Script=Hiragana}]/u.test(name),
  );
}

/** The name of a column in messages. */
export function columnName(layout: Pick<Layout, 'names'>, index: number): string {
  const name = layout.names[index] ?? '';
  return name === '' ? `column ${index + 1}` : shorten(name, MAX_SHOWN_LENGTH);
}
