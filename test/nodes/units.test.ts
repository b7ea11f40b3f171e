import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { readConfig } from '../../packages/server/src/config.ts';
import { newFolder } from '../../packages/server/src/db/testing/folder.ts';
import { ROOT } from '../house/tracked-files.ts';
import { msOf, patienceMs, settingsIn, textOf, unknownSettings } from './deploy-files.ts';
import { replaced, skipWithout } from './proxies.ts';
import { inTemporaryRoot, noTemporaryRoot, quoted } from './temporary-root.ts';

const run = promisify(execFile);
const folder = newFolder();

/** The units, each with the example of its settings. */
const units = {
  'coffer.service': 'coffer.env.example',
  'coffer@.service': 'coffer-pool.env.example',
};

function valueOf(unit: string, directive: string): string | undefined {
  return new RegExp(`^${directive}=(.*)$`, 'm').exec(textOf(unit))?.[1];
}

for (const [name, example] of Object.entries(units)) {
  const found = settingsIn(textOf(example));

  describe(`deploy/${name}`, () => {
    test('writes only to its own folder, and has no other rights', () => {
      const expected = {
        NoNewPrivileges: 'yes',
        ProtectSystem: 'strict',
        ProtectHome: 'yes',
        PrivateTmp: 'yes',
        PrivateDevices: 'yes',
        CapabilityBoundingSet: '',
        RestrictSUIDSGID: 'yes',
        UMask: '0077',
      };
      for (const [directive, value] of Object.entries(expected))
        assert.equal(valueOf(name, directive), value, directive);
      assert.ok(valueOf(name, 'DynamicUser') === 'yes' || valueOf(name, 'User') === 'coffer');
      assert.equal(valueOf(name, 'ReadWritePaths'), undefined);
      assert.equal(valueOf(name, 'MemoryDenyWriteExecute'), undefined, 'Node could not run');
    });

    test('waits longer than a server needs to stop', () => {
      const { STOP_DELAY: delay = '0s' } = found;
      assert.ok(msOf(valueOf(name, 'TimeoutStopSec') ?? '') > msOf(delay) + patienceMs);
      assert.equal(valueOf(name, 'KillSignal'), 'SIGTERM');
    });

    test(`gets its database from deploy/${example} alone`, () => {
      assert.equal(valueOf(name, 'Environment'), undefined);
      const place = valueOf(name, 'EnvironmentFile') ?? '';
      assert.ok(textOf(example).includes(`Copy this file to ${place} with`), place);
      assert.deepEqual(unknownSettings(found), []);
      const { database, providers } = readConfig({}, found);
      assert.equal(providers.encryptionKey, null, 'An example has no key');
      if (database.engine === 'postgres') assert.equal(valueOf(name, 'StateDirectory'), undefined);
      else assert.equal(database.path, `/var/lib/${valueOf(name, 'StateDirectory')}/coffer.db`);
    });

    test(
      'is valid for systemd, and exposes little',
      { skip: skipWithout('systemd-analyze') },
      async () => {
        // systemd looks for the program.
        mkdirSync(join(folder, 'bin'), { recursive: true });
        rmSync(join(folder, 'bin/coffer'), { force: true });
        symlinkSync(join(ROOT, 'packages/cli/coffer.cjs'), join(folder, 'bin/coffer'));
        const file = join(folder, name.replace('@.', '@8081.'));
        const placed = replaced(textOf(name), {
          '/opt/coffer/bin': join(folder, 'bin'),
          'EnvironmentFile=/': 'EnvironmentFile=-/',
        });
        writeFileSync(file, placed);
        const verified = await run('systemd-analyze', ['verify', '--man=no', file]);
        assert.deepEqual(verified, { stdout: '', stderr: '' });
        const args = ['security', '--offline=yes', '--threshold=20', '--no-pager', file];
        const { stdout } = await run('systemd-analyze', args);
        assert.match(stdout, /Overall exposure level/);
      },
    );
  });
}

/** The lines of deploy/coffer.cron as cron runs them: an unescaped % would end a command. */
function cronCommands(): string[] {
  const lines = [...textOf('coffer.cron').matchAll(/^(?:\S+ +){5}(\S+) +(.+)$/gm)];
  return lines.flatMap(([line, user, command = '']) => {
    if (line.startsWith('#')) return [];
    assert.equal(user, 'coffer');
    assert.doesNotMatch(command, /(?<!\\)%/);
    return [command.replaceAll(String.raw`\%`, '%')];
  });
}

test(
  'a server starts by its unit, is backed up by cron, and is restored',
  { skip: noTemporaryRoot },
  async () => {
    const environment = settingsIn(textOf('coffer.env.example'));
    const settings = Object.entries(environment).map((pair) => quoted(pair.join('=')));
    const [backup = '', doctor = '', ...others] = cronCommands();
    assert.deepEqual(others, []);
    const output = await inTemporaryRoot(`
new_root machine
root="$T/machine/root"
chroot "$root" useradd --system --home-dir /var/lib/coffer --shell /usr/sbin/nologin coffer
chroot "$root" install -d -m ${valueOf('coffer.service', 'StateDirectoryMode')} -o coffer -g coffer /var/lib/coffer
chroot "$root" install -d -m 700 -o coffer -g coffer /var/backups/coffer
mkdir -p "$root/opt/coffer/bin"
ln -s /source/packages/cli/coffer.cjs "$root/opt/coffer/bin/coffer"
# ProtectSystem=strict
mount -o remount,ro "$root"
mount -o remount,ro "$root/opt"
as_coffer="chroot --userspec=coffer:coffer $root env -i -C ${valueOf('coffer.service', 'WorkingDirectory')} PATH=/usr/local/bin:/usr/bin:/bin"
start() {
  $as_coffer ${settings.join(' ')} ${valueOf('coffer.service', 'ExecStart')} >"$T/server.log" 2>&1 &
  server=$!
  until_ok curl --fail http://127.0.0.1:8080/readyz
}
cron() { $as_coffer HOME=/var/lib/coffer sh -c "$1"; }
start
$as_coffer ${settings.join(' ')} /opt/coffer/bin/coffer demo --transactions 100 >"$T/token"
echo 'backup:'; cron ${quoted(backup)}
echo 'doctor:'; cron ${quoted(doctor)}
files="$root/var/lib/coffer/coffer.db-files"
ls "$files/1" | wc -l
rm "$files/1/$(ls "$files/1" | head -n 1)"
cron ${quoted(doctor)} | grep --only-matching 'is missing'
cron ${quoted(backup)}
rm -r "$files"
stat --format='%U %a' "$root"/var/backups/coffer/coffer-*.bak | sed "s/$(stat --format=%U "$root/var/lib/coffer")/coffer/"
kill -TERM $server; wait $server
$as_coffer sh -c '/opt/coffer/bin/coffer restore /var/backups/coffer/coffer-*.bak --replace --json --database ${environment['DATABASE_URL']}' >&2
start
cron ${quoted(doctor)}
curl --silent --fail --header "Authorization: Bearer $(cat "$T/token")" 'http://127.0.0.1:8080/v2/transactions?limit=1' | cut -c 1-17
kill -TERM $server; wait $server
$as_coffer node --eval 'const file = "/var/lib/coffer/coffer.db"; fs.writeFileSync(file, fs.readFileSync(file).fill(7, 100000, 400000))'
cron ${quoted(doctor)} | grep --quiet . && echo 'the doctor reports the damage'
cron ${quoted(backup)} 2>&1 | grep --quiet . && echo 'the backup reports the damage'
`);
    assert.deepEqual(output.trim().split('\n'), [
      'backup:',
      'doctor:',
      '3',
      'is missing',
      'coffer 600',
      '{"transactions":[',
      'the doctor reports the damage',
      'the backup reports the damage',
    ]);
  },
);
