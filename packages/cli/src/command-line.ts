import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { explain } from './failure.ts';
import { writeLine } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';

/** Gives a command its options and what it does. */
type Definition = (command: Command, surroundings: Surroundings) => void;

interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Loads the code of this command alone, so that none waits for another's. */
  readonly load: () => Promise<Definition>;
}

const entries: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'serve the records over HTTP',
    load: async () => (await import('./serve.ts')).defineServe,
  },
  {
    name: 'user',
    summary: 'make users',
    load: async () => (await import('./user-create.ts')).defineUser,
  },
  {
    name: 'token',
    summary: 'create, list and revoke access tokens',
    load: async () => (await import('./token.ts')).defineToken,
  },
  {
    name: 'crypto',
    summary: 'add, list and remove synced crypto accounts',
    load: async () => (await import('./crypto.ts')).defineCrypto,
  },
  {
    name: 'import',
    summary: 'import bank statements into a book',
    load: async () => (await import('./import.ts')).defineImport,
  },
  {
    name: 'export',
    summary: 'write a whole book as CSV or NDJSON',
    load: async () => (await import('./export.ts')).defineExport,
  },
  {
    name: 'backup',
    summary: 'write a backup of the whole database',
    load: async () => (await import('./backup.ts')).defineBackup,
  },
  {
    name: 'restore',
    summary: 'put the database of a backup in its place',
    load: async () => (await import('./restore.ts')).defineRestore,
  },
  {
    name: 'move',
    summary: 'move a whole database to another engine',
    load: async () => (await import('./move.ts')).defineMove,
  },
  {
    name: 'demo',
    summary: 'make a user with a demo book',
    load: async () => (await import('./demo.ts')).defineDemo,
  },
  {
    name: 'doctor',
    summary: 'check the records, and mend what can be mended',
    load: async () => (await import('./doctor.ts')).defineDoctor,
  },
];

/** Runs the command that `argv` names and resolves to its exit code: 0, 1 (refused or failed) or 2 (misuse). */
export async function runCommandLine(
  argv: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const program = await makeProgram(argv.slice(0, 2), surroundings);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return isAnswer(error) ? 0 : 2;
    const failure = explain(error);
    if (failure === null) throw error;
    writeLine(surroundings.stderr, failure.message);
    return failure.exitCode;
  }
}

/** The program with every command that there is; those not in `names` know their summary only. */
async function makeProgram(names: readonly string[], surroundings: Surroundings): Promise<Command> {
  const program = new Command('coffer')
    .description("Keeps a person's financial records and serves them over an HTTP JSON API.")
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => surroundings.stdout.write(text),
      writeErr: (text) => surroundings.stderr.write(text),
      outputError: (text, write) => write(asSentence(text)),
    })
    .showHelpAfterError('Run "coffer --help" to see what there is');
  for (const entry of entries) await addCommand(program, entry, names, surroundings);
  return program;
}

async function addCommand(
  program: Command,
  { name, summary, load }: CommandEntry,
  names: readonly string[],
  surroundings: Surroundings,
): Promise<void> {
  const command = program.command(name).summary(summary).description(asTitle(summary));
  command.showHelpAfterError(`Run "coffer ${name} --help" to see what it takes`);
  if (names.includes(name)) (await load())(command, surroundings);
}

/** Help and the version are what was asked for; help for want of a command is not. */
function isAnswer(error: CommanderError): boolean {
  return error.exitCode === 0;
}

function asSentence(text: string): string {
  return asTitle(text.replace(/^error: /, ''));
}

function asTitle(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function readVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
