import { printable } from '@coffer/core/text';
import type { CommandContext, JsonOption } from './context.ts';
import { Failure } from './failure.ts';

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
