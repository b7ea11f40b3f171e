import { isCurrencyCode } from '@coffer/server/src/operations/currencies.ts';
import { Misuse } from '../terminal/failure.ts';
import { quote } from '../terminal/format.ts';

/** The longest address that can receive mail. Source: RFC 5321, 4.5.3.1.3. */
const maxEmailLength = 254;
const maxLabelLength = 100;

/** Reads `--email`: text on both sides of one `@`, no blanks. Throws {@link Misuse}. */
export function readEmail(text: string): string {
  const email = text.trim();
  if (/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) && email.length <= maxEmailLength) return email;
  throw new Misuse(`--email: ${quote(text)} is not an e-mail address`);
}

/** Reads a name, trimmed: 1 to `maxLength` characters on one line. Throws {@link Misuse}. */
export function readName(flag: string, text: string, maxLength = maxLabelLength): string {
  const name = text.trim();
  const { length } = [...name];
  if (length > 0 && length <= maxLength && !/\p{Cc}/u.test(name)) return name;
  throw new Misuse(
    `${flag}: ${quote(text)} is not a valid name. Use 1 to ${maxLength} characters on one line`,
  );
}

/** Reads `--currency`: a lower-case currency code. Throws {@link Misuse}. */
export function readCurrency(text: string, flag = '--currency'): string {
  const code = text.trim().toLowerCase();
  if (isCurrencyCode(code)) return code;
  throw new Misuse(`${flag}: ${quote(text)} is not a supported currency code`);
}

/** Reads an optional label: at most 100 characters on one line, null if it is empty. Throws {@link Misuse}. */
export function readLabel(flag: string, text = ''): string | null {
  const label = text.trim();
  if ([...label].length > maxLabelLength || /\p{Cc}/u.test(label)) {
    throw new Misuse(`${flag}: use at most ${maxLabelLength} characters on one line`);
  }
  return label === '' ? null : label;
}

/** Reads the id of a record. Throws {@link Misuse} with the command that lists the ids. */
export function readId(text: string, record: string, list: string): number {
  if (/^[1-9][0-9]{0,15}$/.test(text)) return Number(text);
  throw new Misuse(`${quote(text)} is not the id of ${record}. "${list}" lists the ids`);
}
