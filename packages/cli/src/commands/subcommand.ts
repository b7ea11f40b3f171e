import type { Command } from 'commander';

/** Adds a subcommand. Its description is the summary as a sentence, followed by `more`. */
export function subcommand(parent: Command, name: string, summary: string, more = ''): Command {
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return parent.command(name).summary(summary).description(`${sentence} ${more}`.trim());
}

/** Adds `--json` to a command that prints a list. */
export function addListOption(command: Command): Command {
  return command.option('--json', 'print a line of JSON for each');
}
