import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { outcomeOf, readUntil } from '../../packages/cli/src/testing/run-coffer.ts';
import { skipWithout } from '../nodes/proxies.ts';
import { ROOT } from '../house/tracked-files.ts';
import { userPath } from '../house/user-path.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const folder = mkdtempSync(join(tmpdir(), 'coffer-package-'));
after(() => {
  if (!isRoot) chmodSync(join(folder, 'prefix'), 0o755);
  rmSync(folder, { recursive: true, force: true });
});

const prefix = join(folder, 'prefix');
const home = join(folder, 'home');
const program = join(prefix, 'bin/coffer');

/** Runs words where the clone cannot be seen and nothing but `home` can be written; needs the rights of root. */
function isolated(...words: readonly string[]): string[] {
  const hide =
    'mount -t tmpfs none "$0" && exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"';
  return isRoot ? ['unshare', '--mount', 'sh', '-c', hide, ROOT, ...words] : [...words];
}

async function coffer(...words: readonly string[]): Promise<string> {
  const [file = '', ...args] = isolated(program, ...words);
  const { stdout } = await run(file, args, { cwd: home, env });
  return stdout;
}

const env = { PATH: userPath, HOME: home, DATABASE_URL: `sqlite:${join(home, 'coffer.db')}` };

describe('the product as a package', { timeout: 300_000 }, () => {
  test('installs into an empty prefix by npm, without a compiler', async () => {
    mkdirSync(home);
    const pack = [join(ROOT, 'scripts/pack.cjs'), folder];
    await run(process.execPath, pack, { env: { ...process.env, PATH: userPath } });
    const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.tgz'));
    assert.match(name, /^coffer-\d+\.\d+\.\d+\.tgz$/);
    const args = [
      'install',
      '--global',
      '--prefix',
      prefix,
      '--prefer-offline',
      join(folder, name),
    ];
    const compilers = { CC: '/bin/false', CXX: '/bin/false', npm_config_python: '/bin/false' };
    const { stdout, stderr } = await run('npm', args, {
      cwd: folder,
      env: { ...process.env, PATH: userPath, ...compilers },
    });
    assert.match(stdout, /^added \d packages/m);
    assert.doesNotMatch(stderr, /EBADENGINE|deprecated|ERR/);
    chmodSync(folder, 0o755);
    await run('chmod', ['-R', 'a-w', prefix]);
    if (isRoot) await run('chown', ['-R', String(nobody), home]);
  });

  const skip = isRoot && skipWithout('unshare', 'mount', 'setpriv', 'sh');
  test(
    'imports, serves and exports without a clone, from a folder that is read-only',
    { skip },
    async () => {
      const statement = join(home, 'may.csv');
      writeFileSync(
        statement,
        'Date,Payee,Amount\n2026-05-02,Bakery,-12.50\n2026-05-03,Salary,2000\n',
      );
      await coffer('user', 'create', '--email', 'ada@example.com', '--name', 'Ada');
      await coffer('import', statement, '--email', 'ada@example.com');
      const token = (await coffer('token', 'create', '--email', 'ada@example.com')).trim();
      const [file = '', ...args] = isolated(program, 'serve', '--port', '0');
      const server = spawn(file, args, { cwd: home, env });
      const [, url] = await readUntil(server.stdout, /listening on (\S+)/);
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${url}/v2/transactions`, { headers });
      const { transactions } = (await response.json()) as { transactions: { payee: string }[] };
      assert.deepEqual(
        transactions.map(({ payee }) => payee),
        ['Salary', 'Bakery'],
      );
      assert.match(await (await fetch(`${url}/`)).text(), /src="\/assets\/main-/);
      for (const page of ['/', '/docs', '/docs/scalar.js', '/openapi.json', '/metrics'])
        assert.equal((await fetch(`${url}${page}`)).status, 200, page);
      server.kill('SIGTERM');
      assert.equal((await outcomeOf(server)).code, 0);
      const exported = await coffer('export', '--email', 'ada@example.com');
      assert.match(exported, /2026-05-02,.*Bakery/);
      assert.equal(await coffer('doctor'), 'Everything agrees\n');
    },
  );
});
