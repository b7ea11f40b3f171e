import { isCalendarDate } from '@coffer/core/dates';
import type { Command } from 'commander';
import type { CommandContext } from '../terminal/context.ts';
import { isCurrencyCode } from '@coffer/server/src/operations/currencies.ts';
import { Misuse, Failure } from '../terminal/failure.ts';
import { quote, listed } from '../terminal/format.ts';
import { nameKey } from '@coffer/core/text';

/** Adds a subcommand. Its description is the summary as a sentence, followed by `more`. */
export function subcommand(parent: Command, name: string, summary: string, more = ''): Command {
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return parent.command(name).summary(summary).description(`${sentence} ${more}`.trim());
}

/** Makes a command do `work`, which gets its arguments, its options and the context. */
export function perform(
  command: Command,
  context: CommandContext,
  work: (...given: never[]) => Promise<void>,
): void {
  // Commander adds the command itself.
  command.action((...given: unknown[]) => work(...([...given.slice(0, -1), context] as never[])));
}

/** Adds `--json` to a command that prints a list. */
export function addListOption(command: Command): Command {
  return command.option('--json', 'print a line of JSON for each');
}

/** Reads an option that can be repeated. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

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

/** Reads a number of at least 1. Throws {@link Misuse} with the name `what`. */
export function readNumber(what: string, text: string): number {
  if (/^[1-9]\d{0,15}$/.test(text)) return Number(text);
  throw new Misuse(`${what} is a number, not ${quote(text)}`);
}

/** Reads a date, `YYYY-MM-DD`. Throws {@link Misuse}. */
export function readDate(flag: string, text: string): string {
  if (isCalendarDate(text)) return text;
  throw new Misuse(`${flag}: ${quote(text)} is not a date. Use YYYY-MM-DD`);
}

/** Reads the id of a record. Throws {@link Misuse} with the command that lists the ids. */
export function readId(text: string, record: string, list: string): number {
  if (/^[1-9][0-9]{0,15}$/.test(text)) return Number(text);
  throw new Misuse(`${quote(text)} is not the id of ${record}. "${list}" lists the ids`);
}

/** A record that the command line names by its id or by one of its names. Messages show the first name. */
interface Choice {
  readonly id: number;
  readonly names: readonly (string | null)[];
}

/**
 * Returns the record with the id `wanted`, else the only one with that name in any letter case.
 *
 * Throws a {@link Failure} that lists the possible ones if there is no such record or several.
 */
export function choose<T extends Choice>(
  records: readonly T[],
  wanted: string,
  owner: string,
  [noun, plural]: readonly [singular: string, plural: string],
): T {
  const byId = records.find(({ id }) => String(id) === wanted.trim());
  if (byId !== undefined) return byId;
  const named = records.filter(({ names }) =>
    names.some((name) => name !== null && nameKey(name) === nameKey(wanted)),
  );
  if (named.length === 1) return named[0]!;
  if (records.length === 0) throw new Failure(`${owner} has no ${plural}`);
  const problem =
    named.length === 0
      ? `no ${noun} ${quote(wanted)}. The ${plural} are`
      : `${named.length} ${plural} named ${quote(wanted)}. Choose one by its id`;
  const possible = named.length === 0 ? records : named;
  throw new Failure(`${owner} has ${problem}: ${listed(possible.map(label))}`);
}

/** Returns a record for a message, such as `3 "Checking"`. */
function label({ id, names }: Choice): string {
  const [name] = names.filter((each) => each !== null);
  return name === undefined ? String(id) : `${id} ${quote(name)}`;
}
