import type { Readable } from 'node:stream';
import { writeLine } from './context.ts';
import type { CommandContext } from './context.ts';
import { Failure, Misuse } from './failure.ts';

/** The option that confirms a removal. */
export interface ConfirmOptions {
  readonly yes?: true;
}

/**
 * Returns if the user confirms a removal, with `--yes` or by typing `reply` in any letter case on a terminal.
 *
 * `what` describes everything that is removed, and `called` describes the reply, such as `the e-mail address`. Throws
 * {@link Misuse} without a terminal, and a {@link Failure} for any other reply.
 */
export async function confirmRemoval(
  { what, called, reply }: Readonly<Record<'what' | 'called' | 'reply', string>>,
  { yes }: ConfirmOptions,
  { stdin, stderr, isTerminal }: CommandContext,
): Promise<void> {
  if (yes === true) return;
  if (!isTerminal || !('isTTY' in stdin) || stdin.isTTY !== true)
    throw new Misuse(`Nothing was removed. Add --yes to remove ${what}`);
  stderr.write(`Remove ${what}? This cannot be undone.\nType ${called} to confirm: `);
  const typed = await readLine(stdin);
  if (typed === null) writeLine(stderr, '');
  if (typed?.trim().toLowerCase() !== reply.toLowerCase()) throw new Failure('Nothing was removed');
}

/**
 * Returns with `--yes`, without a terminal, or if the user types `y` or `yes`. Throws a {@link Failure} for any other
 * reply.
 */
export async function confirmChange(
  question: string,
  { yes }: ConfirmOptions,
  { stdin, stderr, isTerminal }: CommandContext,
): Promise<void> {
  if (yes === true || !isTerminal || !('isTTY' in stdin) || stdin.isTTY !== true) return;
  stderr.write(`${question} [y/N] `);
  const typed = await readLine(stdin);
  if (typed === null) writeLine(stderr, '');
  if (!/^y(es)?$/i.test(typed?.trim() ?? '')) throw new Failure('Nothing was changed');
}

/** Reads a line, null at the end of the input, and destroys the stream: an open terminal keeps a process alive. */
async function readLine(stdin: Readable): Promise<string | null> {
  let text = '';
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text === '' ? null : text;
}
