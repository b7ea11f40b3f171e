import assert from 'node:assert/strict';
import { runCoffer } from './run-coffer.ts';

/**
 * Returns the flags in the help of every command, by its words ("token create", "" for the program), those that only
 * hold others included.
 */
export async function readCommands(words: readonly string[] = []): Promise<Map<string, string[]>> {
  const { code, stdout } = await runCoffer([...words, '--help']);
  assert.equal(code, 0, words.join(' '));
  const [options = '', below = ''] = stdout.split('\nCommands:\n');
  const flags = [...options.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag = '']) => flag);
  const found = new Map([[words.join(' '), flags]]);
  for (const [, name = ''] of below.matchAll(/^ {2}([a-z-]+)\b/gm)) {
    if (name === 'help') continue;
    for (const [command, its] of await readCommands([...words, name])) found.set(command, its);
  }
  return found;
}
