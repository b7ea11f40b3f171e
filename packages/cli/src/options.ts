import { isCurrencyCode } from '@coffer/server';
import { Misuse } from './failure.ts';
import { quote } from './terminal/format.ts';

/** The longest address that mail can be sent to: RFC 5321, 4.5.3.1.3. */
const maxEmailLength = 254;
const maxLabelLength = 100;

/** Reads `--email`: something on both sides of one `@`, no blanks. Throws {@link Misuse}. */
export function readEmail(text: string): string {
  const email = text.trim();
  if (/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) && email.length <= maxEmailLength) return email;
  throw new Misuse(`--email: ${quote(text)} is not an e-mail address`);
}

/** Reads a name: 1 to `maxLength` characters on one line, without blanks around. Throws {@link Misuse}. */
export function readName(flag: string, text: string, maxLength = maxLabelLength): string {
  const name = text.trim();
  const { length } = [...name];
  if (length > 0 && length <= maxLength && !/\p{Cc}/u.test(name)) return name;
  throw new Misuse(
    `${flag}: ${quote(text)} cannot be a name: 1 to ${maxLength} characters on one line are needed`,
  );
}

/** Reads `--currency`: a lower-case currency code. Throws {@link Misuse}. */
export function readCurrency(text: string): string {
  const code = text.trim().toLowerCase();
  if (isCurrencyCode(code)) return code;
  throw new Misuse(`--currency: ${quote(text)} is not a currency code that this service knows`);
}

/** Reads an optional label: at most 100 characters on one line; null when it is empty. Throws {@link Misuse}. */
export function readLabel(flag: string, text = ''): string | null {
  const label = text.trim();
  if ([...label].length > maxLabelLength || /\p{Cc}/u.test(label)) {
    throw new Misuse(`${flag}: at most ${maxLabelLength} characters on one line are allowed`);
  }
  return label === '' ? null : label;
}

/** Reads the id of a record. Throws {@link Misuse}, which names the command that lists the ids. */
export function readId(text: string, record: string, list: string): number {
  if (/^[1-9][0-9]{0,15}$/.test(text)) return Number(text);
  throw new Misuse(`${quote(text)} is not the id of ${record}: "${list}" shows them`);
}
