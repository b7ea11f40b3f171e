import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  makeFolder,
  outcomeOf,
  readUntil,
  refuses,
  runCoffer,
  spawnCoffer,
} from './testing/run-coffer.ts';

test('both ways print the help of a command', async () => {
  const help = await runCoffer(['doctor', '--help']);
  assert.match(help.stdout, /^Usage: coffer doctor /);
  assert.deepEqual(await runCoffer(['help', 'doctor']), help);
});

test('the version is that of the package', async () => {
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
  ) as { version: string };
  assert.equal((await runCoffer(['--version'])).stdout, `${version}\n`);
});

for (const [argv, message] of [
  [[], /^Usage: coffer /],
  [['exprt'], /^Unknown command 'exprt'\n\(Did you mean export\?\)\n/],
  [['user', 'delete'], /^Unknown command 'delete'\nRun "coffer user --help"/],
  [
    ['doctor', '--repare'],
    /^Unknown option '--repare'\n\(Did you mean --repair\?\)\nRun "coffer doctor --help"/,
  ],
  [
    ['doctor', '--database', 'mysql://root:secret@host/db'],
    /^--database \(DATABASE_URL\): (?![^]*secret).*"mysql"/,
  ],
  [
    ['doctor', '--database', 'sqlite://rel.db'],
    /^--database \(DATABASE_URL\): Cannot use "sqlite:\/\/rel\.db": .*sqlite:\.\/rel\.db .*sqlite:\/rel\.db /,
  ],
  [
    ['user', 'create', '--email', 'a@b', '--name', 'A', '--database', 'sqlite:///no/abs.db'],
    /^--database .*"sqlite:\/\/\/no\/abs\.db": .*sqlite:\.\/no\/abs\.db .*sqlite:\/no\/abs\.db /,
  ],
] as const) {
  test(`"coffer ${argv.join(' ')}" is misuse, with a hint and without a stack trace`, async () => {
    await refuses(argv, 2, message);
  });
}

test('a command that reads does not create a missing database', async () => {
  const file = join(makeFolder(), 'typo.db');
  const message = `There is no database "sqlite:${file}". Name another one with --database\n`;
  await refuses(['doctor', '--database', `sqlite:${file}`], 1, message);
  assert.throws(() => readFileSync(file), { code: 'ENOENT' });
});

test('the environment names the database if no flag does', async () => {
  const environment = { DATABASE_URL: 'sqlite:/nowhere/at/all.db' };
  const found = /^There is no database "sqlite:\/nowhere\/at\/all.db"/;
  await refuses(['doctor'], 1, found, { environment });
  const flag = ['--database', 'sqlite:/nowhere/else.db'];
  await refuses(['doctor', ...flag], 1, /"sqlite:\/nowhere\/else.db"/, { environment });
});

test('a database that cannot be opened is reported in a sentence', async () => {
  const user = ['user', 'create', '--email', 'a@b', '--name', 'A'];
  for (const [path, reason] of [
    ['/nowhere/at/all.db', 'Cannot open database because the directory does not exist'],
    [import.meta.filename, 'Cannot open the database: the file is not an SQLite database'],
  ] as const)
    await refuses([...user, '--database', `sqlite:${path}`], 1, `${reason}\n`);
});

test('the process ends with the exit code of the command', { timeout: 30_000 }, async () => {
  const help = await outcomeOf(spawnCoffer(['--help']));
  assert.deepEqual([help.code, help.stderr], [0, '']);
  const misuse = await outcomeOf(spawnCoffer(['nonsense']));
  assert.deepEqual([misuse.code, misuse.stdout], [2, '']);
});

test('serve loads the code of no other command', { timeout: 30_000 }, async () => {
  const folder = makeFolder();
  // A file, because a pipe that its reader does not empty in time refuses more.
  const list = join(folder, 'loaded');
  const hook = `
    import { registerHooks } from 'node:module';
    import { appendFileSync } from 'node:fs';
    const load = (url, context, next) => {
      appendFileSync('${list}', url + '\\n');
      return next(url, context);
    };
    registerHooks({ load });`;
  const database = `sqlite:${join(folder, 'coffer.db')}`;
  const argv = ['serve', '--port', '0', '--database', database, '--log-level', 'silent'];
  const main = new URL('main.ts', import.meta.url).href;
  // The sources, because the start guard may choose the bundle.
  const script = `const { main } = await import('${main}'); await main(${JSON.stringify(argv)});`;
  const child = spawn(process.execPath, [
    '--import',
    `data:text/javascript,${encodeURIComponent(hook)}`,
    '--input-type=module',
    '--eval',
    script,
  ]);
  const ended = once(child, 'close');
  await readUntil(child.stdout, /listening/);
  child.kill('SIGTERM');
  await ended;
  const loaded = readFileSync(list, 'utf8');
  const ours = [...loaded.matchAll(/cli\/src\/([\w/-]+\.ts)\n/g)]
    .map(([, name]) => name)
    .toSorted();
  const needed = [
    'command-line.ts',
    'commands/serve/serve.ts',
    'main.ts',
    'terminal/context.ts',
    'terminal/failure.ts',
    'terminal/stop-signals.ts',
  ];
  assert.deepEqual(ours, needed);
  assert.doesNotMatch(loaded, /cli-progress|packages\/statements/);
});
