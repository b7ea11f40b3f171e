import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { after } from 'node:test';
import { runCommandLine } from '../command-line.ts';
import type { CommandContext } from '../terminal/context.ts';

const guard = join(import.meta.dirname, '../../coffer.cjs');

/** The default time of commands in tests. */
const testNow = '2026-11-20T12:00:00.000Z';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process. */
export async function runCoffer(
  argv: readonly string[],
  overrides: Partial<CommandContext> = {},
): Promise<Outcome> {
  const stdout = new TextCollector();
  const stderr = new TextCollector();
  const code = await runCommandLine(argv, {
    stdin: Readable.from([]),
    stdout,
    stderr,
    isTerminal: false,
    environment: {},
    now: () => new Date(testNow),
    ...overrides,
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** The streams of a terminal where a user types `text`. */
export function typing(text: string): Pick<CommandContext, 'stdin' | 'isTerminal'> {
  return { stdin: Object.assign(Readable.from([text]), { isTTY: true }), isTerminal: true };
}

/** Runs the command as runCoffer does and returns its standard output. Throws unless its exit code is 0. */
export async function coffer(...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCoffer(argv);
  if (code !== 0) throw new Error(`coffer ${argv.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Creates a folder that is removed after the tests of the file. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-cli-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a database in `folder` with the user `me@example.com`. Returns the options for commands on it. */
export async function makeBook(folder: string, name = 'coffer.db'): Promise<string[]> {
  const database = ['--database', `sqlite:${join(folder, name)}`];
  await coffer('user', 'create', '--email', 'me@example.com', '--name', 'Me', ...database);
  return ['--email', 'me@example.com', ...database];
}

/** Creates a book in a folder of its own. */
export const newBook = (): Promise<string[]> => makeBook(makeFolder());

/** Writes a file of lines. Returns its path. */
export function writeLines(folder: string, name: string, ...lines: readonly string[]): string {
  const file = join(folder, name);
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return file;
}

/** The transactions of a book as lines of CSV, without their ids. */
export async function rowsOf(whose: readonly string[]): Promise<string[]> {
  const [, ...lines] = (await coffer('export', ...whose)).trimEnd().split('\n');
  return lines.map((line) => line.slice(line.indexOf(',') + 1));
}

/** The records in lines of JSON. */
export function jsonLines<T = Record<string, unknown>>(text: string): T[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as T);
}

/** Asserts that a command fails with a message, prints nothing else, and shows no stack trace. */
export async function refuses(
  argv: readonly string[],
  code: number,
  message: RegExp | string,
  overrides: Partial<CommandContext> = {},
): Promise<void> {
  const outcome = await runCoffer(argv, overrides);
  assert.deepEqual([outcome.code, outcome.stdout], [code, ''], argv.join(' '));
  if (typeof message === 'string') assert.equal(outcome.stderr, message);
  else assert.match(outcome.stderr, message);
  assert.doesNotMatch(outcome.stderr, /^\s+at /m);
}

/** Runs the whole command in its own process. */
export function spawnCoffer(args: readonly string[]): ChildProcessWithoutNullStreams {
  // The command must not see settings of the environment.
  const environment = { PATH: process.env['PATH'], NODE_NO_WARNINGS: '1' };
  const child = spawn(process.execPath, [guard, ...args], { env: environment });
  after(() => child.kill('SIGKILL'));
  return child;
}

/** Waits for a process to end and returns its output. */
export async function outcomeOf(
  child: ChildProcessWithoutNullStreams,
): Promise<Omit<Outcome, 'code'> & { code: number | null; signal: string | null }> {
  const [stdout, stderr, [code, signal]] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    once(child, 'close') as Promise<[number | null, string | null]>,
  ]);
  return { code, signal, stdout, stderr };
}

/** Reads the output of a process until `pattern` is in it, and returns the match. */
export async function readUntil(stream: Readable, pattern: RegExp): Promise<RegExpExecArray> {
  let text = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const match = pattern.exec(text);
    if (match !== null) return match;
  }
  throw new Error(`${pattern} is not in:\n${text}`);
}

/** Reads the text of a stream up to its end. */
export async function readText(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

class TextCollector extends Writable {
  text = '';
  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}
