import { Misuse } from './failure.ts';
import { quote } from './printable.ts';

/** The longest address that mail can be sent to: RFC 5321, 4.5.3.1.3. */
const maxLength = 254;

/** Reads an e-mail address: something on both sides of one `@`, no blanks. Throws {@link Misuse}. */
export function readEmail(text: string): string {
  const email = text.trim();
  if (/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) && email.length <= maxLength) return email;
  throw new Misuse(`--email: ${quote(text)} is not an e-mail address`);
}
