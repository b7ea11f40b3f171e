import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { readCommands } from '../../packages/cli/src/testing/help.ts';
import { runCoffer } from '../../packages/cli/src/testing/run-coffer.ts';
import { approveLines, Outputs } from './approved.ts';

const folder = mkdtempSync(join(tmpdir(), 'coffer-approved-'));
const before = process.cwd();
process.chdir(folder);
mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') });
after(() => {
  mock.timers.reset();
  process.chdir(before);
  rmSync(folder, { recursive: true });
});
const database = ['--database', 'sqlite:coffer.db'];
const environment = { ENCRYPTION_KEY: '11'.repeat(32) };
const whose = ['--email', 'demo@coffer.example'];

const all = await readCommands();
/** Commands that do something, with their options. */
const commands = [...all].filter(
  ([name]) => ![...all.keys()].some((each) => each.startsWith(`${name} `)),
);

/** Runs a command, and returns its exit code and all its output without what differs from run to run. */
async function outputOf(...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCoffer(argv, { environment });
  const text = `${code}\n${stdout}${stderr === '' ? '' : `error: ${stderr}`}`;
  return text
    .replaceAll(folder, 'FOLDER')
    .replaceAll(/coffer_[0-9A-Za-z]{49}/g, 'TOKEN')
    .replaceAll(/(?<=#)[\w-]{22}/g, 'SECRET')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32}/g, 'RANDOM')
    .replaceAll(/\b\d+ ms\b|(?<=\bin )[\d.]+ s\b/g, 'N ms')
    .trimEnd();
}

test('the help of each command is as approved', async () => {
  const lines: string[] = [];
  for (const name of all.keys()) {
    const words = name.split(' ').filter((word) => word !== '');
    lines.push(`$ coffer ${[...words, '--help'].join(' ')}`);
    lines.push(...(await outputOf(...words, '--help')).split('\n'), '');
  }
  approveLines('help', lines.join('\n').trimEnd().split('\n'));
});

/** Values that options refuse or accept. */
const values = ['', 'x', '2026-02-30'];
/** Commands that go on or make much, with what makes them refuse to begin. */
const long: Readonly<Record<string, readonly string[]>> = {
  serve: ['--port', 'none', '--rate-limit', 'none'],
  demo: ['--transactions', '1', '--seed', 'none'],
};

/** Options that are given already, or that would remove what the others need. */
const unchanged = new Set(['--help', '--database', '--yes']);

/** Adds the arguments and options that a command says it needs. */
async function completed(...words: readonly string[]): Promise<string[]> {
  const argv = [...words];
  for (let tries = 0; tries < 4; tries += 1) {
    const text = await outputOf(...argv, ...database);
    const [, option] = /Required option '(--[a-z-]+)/.exec(text) ?? [];
    if (option !== undefined) argv.push(option, option === '--email' ? whose[1]! : '1');
    else if (text.includes('Missing required argument')) argv.push('1');
  }
  return argv;
}

test('each command with wrong options and arguments prints as approved', async () => {
  const outputs = new Outputs();
  await outputOf('demo', '--transactions', '200', '--until', '2026-10-31', ...database);
  for (const [name, options] of commands) {
    const words = name.split(' ');
    const last = long[name] ?? [];
    const base = last.length === 0 ? await completed(...words) : words;
    const user = [whose, ['--book', '1']].flatMap((pair) =>
      options.includes(pair[0]!) && !base.includes(pair[0]!) ? pair : [],
    );
    const run = async (...argv: readonly string[]): Promise<void> => {
      const guard = argv[0] === last[0] ? last.slice(2) : last;
      const more = [...user, ...database];
      const shown = argv.map((each) => (each === '' ? "''" : each)).join(' ');
      outputs.add(`${name} ${shown}`.trim(), await outputOf(...base, ...more, ...argv, ...guard));
    };
    if (last.length === 0) await run();
    await run('--no-such-option');
    await run('one', 'two', 'three');
    for (const option of options.filter((each) => !unchanged.has(each))) {
      await run(option);
      for (const value of values) await run(option, value);
    }
  }
  outputs.approve('refused-commands', 90);
});

/** What no other test of the command uses, in this order. A word in angle brackets is a file. */
const texts = [
  'demo --transactions 1100 --seed 7 --until 2026-10-31',
  'rules add --name A --payee-contains coffee --set-category Rent --add-tag reimbursable --set-notes note',
  'rules add --name C --payee-starts-with rent --split 400 --split rest',
  'rules add --name D --notes-is x --credit --unreviewed --exclude',
  'rules list',
  'recurring add Gym --amount 54.00 --every month --anchor 2026-11-05',
  'recurring update Gym --amount 60 --until 2027-05-31 --description fitness',
  'recurring update 1 --every year --show-payee Landlord',
  'import <old.csv> --account Checking',
  'import <old.csv> --account Checking --any-year',
  'import <old.csv> --format ofx',
  'history --from 2026-11-20 --to 2026-11-21 --limit 2 --json',
  'undo 3 --yes',
  'undo 3 --conflicts skip --yes',
  'undo --last --yes',
];

test('rare commands print as approved', async () => {
  writeFileSync(
    join(folder, 'old.csv'),
    'Date,Payee,Amount\n1871-05-01,Otto,-1.00\n2026-11-04,Otto,-1.00\n',
  );
  const outputs = new Outputs();
  for (const text of texts) {
    const argv = text.replaceAll(/[<>]/g, '').split(' ');
    const options = all.get(argv.slice(0, 2).join(' ')) ?? all.get(argv[0]!) ?? [];
    const isOfBook = options.includes('--email') && argv[0] !== 'demo';
    const book = options.includes('--book') ? ['--book', '1'] : [];
    const user = isOfBook ? [...whose, ...book] : [];
    outputs.add(text, await outputOf(...argv, ...user, '--database', 'sqlite:rare.db'));
  }
  outputs.approve('rare-commands', 600);
});
