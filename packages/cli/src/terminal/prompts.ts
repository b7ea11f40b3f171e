import { printable } from '@coffer/core/text';
import { writeLine, type CommandContext, type JsonOption } from './context.ts';
import { Failure, Misuse } from './failure.ts';
import type { Readable } from 'node:stream';

/** Something to choose. Its label and hint are made printable. */
export interface PromptChoice<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

/** Asks the user at a terminal. Each method rejects with a {@link Failure} if the user cancels. */
export interface Prompts {
  choose<T>(message: string, choices: readonly PromptChoice<T>[]): Promise<T>;
  /** `faultOf` returns why a text is not valid, or null. */
  type(message: string, faultOf: (text: string) => string | null): Promise<string>;
}

const mostShown = 12;

/** Returns the prompts of a terminal; null where nobody can be asked: without a terminal, and for `--json`. */
export function promptsOf(context: CommandContext, { json }: JsonOption): Prompts | null {
  if (json === true || !context.isTerminal) return null;
  const { stdin: input, stderr: output } = context;
  if (!('isTTY' in input) || input.isTTY !== true) return null;
  const streams = { input, output };
  return {
    async choose(message, choices) {
      const { select } = await import('@clack/prompts');
      const options = choices.map(({ label, hint }, value) => ({
        value,
        label: printable(label),
        ...(hint !== undefined && { hint: printable(hint) }),
      }));
      const at = await select({
        ...streams,
        message: printable(message),
        options,
        maxItems: mostShown,
      });
      return choices[given(at)]!.value;
    },
    async type(message, faultOf) {
      const { text } = await import('@clack/prompts');
      const validate = (typed = '') => faultOf(typed.trim()) ?? undefined;
      const typed = await text({ ...streams, message: printable(message), validate });
      return given(typed).trim();
    },
  };
}

/** Returns what the user gave. Throws a {@link Failure} if the user cancelled. */
function given<T>(value: T): Exclude<T, symbol> {
  if (typeof value === 'symbol') throw new Failure('Cancelled');
  return value as Exclude<T, symbol>;
}

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
