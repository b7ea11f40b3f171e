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
    .replaceAll(/whsec_[\w+/=]+/g, 'SECRET')
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

const may = [
  'Date,Payee,Amount',
  '2026-10-30,Corner Grocer,-12.50',
  '2026-10-31,Salary,2500.00',
  '',
];
const rates = ['Date,USD,GBP', '2026-06-30,1.1000,0.85', '2026-06-26,1.0900,0.86', ''];

/** The use of a book, in this order. A word in angle brackets is a file. */
const usual = [
  'demo --transactions 200 --until 2026-10-31',
  'demo',
  'user list',
  'user create --email ada@example.org --name Ada --currency eur',
  'user list --json',
  'book list --email demo@coffer.example',
  'book list --email demo@coffer.example --json',
  'token create',
  'token list',
  'token list --json',
  'token revoke 1',
  'sign-in',
  'import <may.csv> --dry-run',
  'import <may.csv> --account Checking --json',
  'import <may.csv> --account Checking',
  'import <may.csv> --account Savings --on-doubt skip',
  'import <none.csv>',
  'imports list',
  'imports show 1',
  'imports undo 1',
  'imports list --json',
  'rules list',
  'rules add --name Grocers --payee-contains grocer --reviewed',
  'rules list --json',
  'recurring list',
  'recurring list --json',
  'account list',
  'account list --json',
  'category list',
  'category list --json',
  'rates import <rates.csv>',
  'rates list',
  'history',
  'history --limit 3 --json',
  'undo',
  'undo 2',
  'webhook add https://hooks.example.org/coffer',
  'webhook list',
  'sync list',
  'crypto list',
  'export',
  'export --format ndjson',
  'export --format csv',
  'recurring add Gym 54.00 --every month',
  'recurring remove 4',
  'webhook show 1',
  'webhook disable 1',
  'webhook remove 1',
  'doctor',
  'doctor --json',
  'backup <backup.db>',
  'backup <backup.db>',
  'restore <none.db>',
  'undo --last',
  'user remove --email ada@example.org --yes',
  'user list',
];

/** The use of another book, in this order, with what is used less. It has more rows than what is read at once. */
const rare = [
  'demo --transactions 1100 --seed 7 --until 2026-10-31',
  'user rename Grace',
  'user list --json',
  'book create Club --currency gbp',
  'book rename Household',
  'book currency chf',
  'book list',
  'account rename 1 Checking',
  'account archive 2',
  'account archive 2',
  'account archive 2 --reopen',
  'account archive Nowhere',
  'account merge 3 1',
  'account merge 2 1 --add-balance',
  'account merge 1 1',
  'account list',
  'category rename Salary Wages',
  'category merge Bonus Wages',
  'category merge Wages Wages',
  'category list',
  'token create --label phone --expires 30d',
  'token create --expires 2026-12-24',
  'token rename 1 Tablet',
  'token list --json',
  'token revoke 9',
  'rules add --name A --payee-contains coffee --set-category Rent --add-tag reimbursable --set-notes note',
  'rules add --name B --amount-min 10 --amount-max 20.50 --debit --account Checking --reviewed --stop',
  'rules add --name C --payee-starts-with rent --split 400 --split rest',
  'rules add --name D --notes-is x --credit --unreviewed --exclude',
  'rules list',
  'rules preview 1 --transactions 5',
  'rules preview --start 2026-09-01 --end 2026-10-31',
  'rules preview --json',
  'rules order 2 1 3',
  'rules disable 2',
  'rules list',
  'rules enable 2',
  'rules remove 1',
  'rules list --json',
  'recurring add Gym --amount 54.00 --every month --anchor 2026-11-05',
  'recurring add Water --amount 120 --tolerance 10 --every 3months --anchor 2026-01-31 --currency eur',
  'recurring add Paper --every week',
  'recurring list',
  'recurring update Gym --amount 60 --until 2027-05-31 --description fitness',
  'recurring update 1 --every year --show-payee Landlord',
  'recurring accept 3',
  'recurring dismiss 3',
  'recurring accept 4',
  'recurring list --json',
  'import <may.csv> --account Checking',
  'import <june.csv> --account Checking --dry-run',
  'import <june.csv> --account Checking --dry-run --json',
  'import <june.csv> --account Checking --on-doubt ask',
  'import <june.csv> --account Checking --on-doubt skip',
  'import <june.csv> --account Checking --on-doubt keep',
  'import <june.csv> --account Checking --on-doubt keep --json',
  'import <bad.csv> --account Checking',
  'import <bad.csv> --account Checking --skip-bad-rows',
  'import <bad.csv> --account Checking --skip-bad-rows --negate --currency eur --json',
  'import <unnamed.csv> --account Card',
  'import <unnamed.csv> --account Card --map date=1,amount=3,payee=2',
  'import <unnamed.csv> --account Card --map date=1,amount=3,payee=2 --date-format d/m/y --decimal comma',
  'import <old.csv> --account Checking',
  'import <old.csv> --account Checking --any-year',
  'import <may.csv> <june.csv> --account Checking',
  'import <may.csv> --format ofx',
  'import <may.csv> --forget',
  'imports list --limit 1',
  'imports list',
  'imports show 1 --json',
  'imports show 99',
  'imports undo 1',
  'imports redo 1',
  'imports redo 1',
  'imports undo 2 --conflicts skip',
  'history --limit 5',
  'history 5',
  'history 5 --json',
  'history --record transactions --limit 4',
  'history --record transactions --id 5',
  'history --actor command --operation import',
  'history --from 2026-11-20 --to 2026-11-21 --limit 2 --json',
  'history --before 4',
  'undo 3 --dry-run',
  'undo 3 --yes',
  'undo 3 --conflicts skip --yes',
  'undo --last --dry-run --json',
  'undo --last --yes',
  'rates show usd',
  'rates show usd --date 2026-06-28',
  'rates show gbp --date 1990-01-01',
  'rates show zzz',
  'rates import <rates.csv> <none.csv>',
  'rates import <may.csv>',
  'webhook add https://hooks.example.org/a --description Sheet --record transactions --kind made',
  'webhook add http://hooks.example.org/a',
  'webhook ping 9',
  'webhook rotate 1 --keep-hours 2',
  'webhook rotate 1 --keep-hours 1000',
  'webhook log 1',
  'webhook redeliver 1 --attempt 1',
  'webhook disable 1',
  'webhook enable 1',
  'webhook show 1 --json',
  'crypto list --json',
  'crypto remove 1',
  'crypto remove 1',
  'sync run',
  'sync remove 1',
  'export --as-of 3',
  'export --format ndjson --as-of 2026-11-20T12:00:00Z',
  'export --format archive --output <book.zip>',
  'export --output <rows.csv>',
  'export --output <rows.csv>',
  'book import <book.zip> --name Copy',
  'book import <may.csv>',
  'book list --json',
  'backup <kept.db>',
  'backup <kept.db> --force',
  'restore <kept.db>',
  'restore <kept.db> --replace',
  'doctor --repair',
  'book currency chf --budgets convert',
  'undo --last',
  'sign-in --port 8123',
  'book remove --yes',
  'user list',
];

const files: Readonly<Record<string, readonly string[]>> = {
  'may.csv': may,
  'june.csv': [...may.slice(0, 3), '2026-11-01,Corner Grocer Ltd,-12.50', '2026-11-02,Café,-4', ''],
  'bad.csv': [...may.slice(0, 2), '2026-02-30,Nobody,1.00', '2026-11-03,Somebody,1.00', ''],
  'unnamed.csv': ['03/04/2026;Grocer;-1,50', '05/04/2026;Baker;-2,25', ''],
  'old.csv': ['Date,Payee,Amount', '1871-05-01,Otto,-1.00', '2026-11-04,Otto,-1.00', ''],
  'rates.csv': rates,
};

const uses = { commands: ['usual.db', usual], 'rare-commands': ['rare.db', rare] } as const;

for (const [name, [file, texts]] of Object.entries(uses)) {
  test(`${name} print as approved`, async () => {
    for (const [each, lines] of Object.entries(files))
      writeFileSync(join(folder, each), lines.join('\n'));
    const outputs = new Outputs();
    const others = ['--database', `sqlite:${file}`];
    for (const text of texts) {
      const argv = text.replaceAll(/[<>]/g, '').split(' ');
      const options = all.get(argv.slice(0, 2).join(' ')) ?? all.get(argv[0]!) ?? [];
      const isOfBook =
        options.includes('--email') && !argv.includes('--email') && argv[0] !== 'demo';
      const book = texts === rare && options.includes('--book') ? ['--book', '1'] : [];
      const user = isOfBook ? [...whose, ...book] : [];
      outputs.add(text, await outputOf(...argv, ...user, ...others));
    }
    outputs.approve(name, 600);
  });
}
