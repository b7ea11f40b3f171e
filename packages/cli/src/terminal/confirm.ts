import type { Readable } from 'node:stream';
import { writeLine } from '../context.ts';
import type { CommandContext } from '../context.ts';
import { Failure, Misuse } from '../failure.ts';

export interface ConfirmOptions {
  readonly yes?: true;
}

/**
 * Returns if the user confirms a removal: by `--yes`, or on a terminal by typing `reply`. Letter case does not count.
 *
 * `what` names all that is removed, `called` what is to be typed. Throws {@link Misuse} where there is no terminal, and
 * a {@link Failure} for another reply.
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

/** The first line, or null at the end of the input. Destroys the stream: an open terminal would keep the process alive. */
async function readLine(stdin: Readable): Promise<string | null> {
  let text = '';
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text === '' ? null : text;
}
