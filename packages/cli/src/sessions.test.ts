/*
 * Runs the sessions in `sessions/`: what a user types, and all that the command prints.
 *
 * A line `# Title` begins a test in an empty folder, with the user `me@example.com`; `## Title` one without a database.
 * The steps above the first title begin each test. `> NAME` writes a file of the lines below it, or of a text in JSON
 * behind it. `$ ls` lists the folder, `$ cmp` compares files, and `$ sql` damages the database. `$ coffer …` is run:
 * below it are the lines of its standard output, those of its standard error after "! ", and its exit code unless it is
 * 0. What is refused must leave the database as it is. Titles say what is promised, so read what a commit changes below
 * them.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after } from 'node:test';
import { expectPrinted, runSessions, type Step } from '../../core/src/testing/sessions.ts';
import { coffer, makeFolder, runCoffer, typing } from './testing/run-coffer.ts';

const before = process.cwd();
after(() => process.chdir(before));

/** Runs a line: variables, the command with words in quotes or without, and what is typed at a terminal. */
async function run(line: string): Promise<string[]> {
  const [program, one = '', two = ''] = line.split(' ');
  if (program === 'ls') return readdirSync('.').filter((name) => !/-(lock|shm|wal)$/.test(name));
  if (program === 'cmp') return readFileSync(one).equals(readFileSync(two)) ? [] : ['they differ'];
  if (program === 'sql') {
    const database = new DatabaseSync('coffer.db');
    database.exec(line.slice('sql '.length));
    database.close();
    return [];
  }
  const [, variables = '', command = '', typed] =
    /^((?:[A-Z_]+=\S* )*)coffer (.*?)(?: < (".*"))?$/.exec(line) ?? [];
  const words = command.match(/"(?:\\.|[^"\\])*"|'[^']*'|\S+/g) ?? [];
  const argv = words.map((word) => {
    if (word.startsWith('"')) return JSON.parse(word) as string;
    return word.startsWith("'") ? word.slice(1, -1) : word;
  });
  const { NOW, ...environment } = Object.fromEntries(
    variables.split(' ').map((each) => each.split('=')),
  ) as Record<string, string>;
  const { code, stdout, stderr } = await runCoffer(argv, {
    environment,
    ...(NOW !== undefined && { now: () => new Date(NOW) }),
    ...(typed !== undefined && typing(JSON.parse(typed) as string)),
  });
  const linesOf = (text: string, start: string): string[] =>
    text === ''
      ? []
      : text
          .replace(/\n$/, '')
          .split('\n')
          .map((each) => start + each);
  return [
    ...linesOf(plain(stdout), ''),
    ...linesOf(plain(stderr), '! '),
    ...(code ? [`[${code}]`] : []),
  ];
}

const secrets = new Set<string>();

/** Replaces what differs from run to run. */
function plain(text: string): string {
  return text
    .replaceAll(process.cwd(), 'FOLDER')
    .replaceAll(/coffer_[0-9A-Za-z]{49}|(?<=start#)[\w-]{22}|whsec_[\w+/=]+/g, (secret) => {
      assert.ok(!secrets.has(secret), 'a secret is another one each time');
      secrets.add(secret);
      return 'SECRET';
    })
    .replaceAll(/\b[\d.]+ m?s\b|(?<="elapsed_ms":)\d+/g, 'TIME');
}

/** Everything that the database has. */
function contents(): string {
  if (!existsSync('coffer.db')) return '';
  const database = new DatabaseSync('coffer.db', { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const digest = createHash('sha256');
  for (const { name } of tables)
    for (const row of database.prepare(`SELECT * FROM "${String(name)}"`).iterate())
      digest.update(Object.values(row).join('\0'));
  database.close();
  return digest.digest('hex');
}

function write(text: string, lines: readonly string[]): void {
  const [, name = text, json] = /^(\S+) (".*")$/.exec(text) ?? [];
  const content = lines.map((line) => `${line}\n`).join('');
  writeFileSync(name, json === undefined ? content : (JSON.parse(json) as string));
}

async function perform(steps: readonly Step[]): Promise<void> {
  if (steps[0]!.kind === '#')
    await coffer('user', 'create', '--email', 'me@example.com', '--name', 'Me');
  for (const step of steps) {
    const { kind, text } = step;
    if (kind === '>') write(text, step.lines);
    if (kind !== '$') continue;
    const stored = contents();
    const printed = await run(text);
    // Of several files, the first ones may have been imported.
    const isRefused = printed.at(-1)?.startsWith('[') && /^[![]/.test(printed[0]!);
    if (isRefused || / --dry-run\b| preview\b/.test(text))
      assert.equal(contents(), stored, `${text} changed something`);
    expectPrinted(step, printed);
  }
}

runSessions(join(import.meta.dirname, 'sessions'), /^(?=(?:##?|>|\$) )/m, async (steps) => {
  process.chdir(makeFolder());
  await perform(steps);
});
