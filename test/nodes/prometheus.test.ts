import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { freePort } from '../../packages/core/src/testing/starts.ts';
import { newFolder } from '../../packages/server/src/db/testing/folder.ts';
import { startServer, type ServerProcess } from '../service/server-process.ts';
import { ROOT } from '../house/tracked-files.ts';
import { deployFolder, textOf } from './deploy-files.ts';
import { until } from './nodes.ts';
import { replaced, skipWithout } from './proxies.ts';

const run = promisify(execFile);
const skip = skipWithout('prometheus', 'promtool');
const timeout = 300_000;
const folder = newFolder();

const rulesFile = join(deployFolder, 'coffer.rules.yml');
const rules = (
  parse(textOf('coffer.rules.yml')) as {
    groups: { rules: { alert: string; expr: string; for?: string }[] }[];
  }
).groups.flatMap((group) => group.rules);

interface Found {
  readonly data: {
    readonly activeTargets?: readonly { readonly health: string; readonly lastError: string }[];
    readonly groups?: readonly {
      readonly rules: readonly { readonly name: string; readonly health: string }[];
    }[];
    readonly result?: readonly { readonly metric: Readonly<Record<string, string>> }[];
  };
}

describe('the alerts of deploy/coffer.rules.yml', () => {
  test('pass their unit tests', { skip }, async () => {
    for (const file of [rulesFile, join(ROOT, 'test/nodes/alerts.yml')])
      cpSync(file, join(folder, file.split('/').at(-1)!));
    const { stdout } = await run('promtool', ['test', 'rules', join(folder, 'alerts.yml')]);
    assert.match(stdout, /SUCCESS/);
  });

  test('each have a unit test, and a line in docs/operate/monitoring.md', () => {
    const tests = readFileSync(join(ROOT, 'test/nodes/alerts.yml'), 'utf8');
    const page = readFileSync(join(ROOT, 'docs/operate/monitoring.md'), 'utf8');
    assert.ok(rules.length > 5);
    for (const { alert } of rules) {
      assert.match(tests, new RegExp(`- name: ${alert}$`, 'm'));
      assert.match(page, new RegExp(`^\\| \`${alert}\` +\\|`, 'm'));
    }
  });
});

describe('Prometheus with the files in deploy/', { skip, timeout }, () => {
  let node: ServerProcess;
  let prometheus: ChildProcess;
  let url: string;
  const ask = async (path: string): Promise<Found['data']> =>
    ((await (await fetch(`${url}/api/v1/${path}`)).json()) as Found).data;

  before(async () => {
    const database = `sqlite:${join(folder, 'coffer.db')}`;
    const backups = join(folder, 'backups');
    const flags = ['--log-level', 'silent', '--backup-to', backups];
    node = await startServer({ database, flags });
    const isMade = () => readdirSync(backups).some((name) => name.endsWith('Z.bak'));
    await until(isMade, 'there is a backup');
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const configuration = replaced(textOf('prometheus.yml'), {
      '127.0.0.1:8080': `127.0.0.1:${node.port}`,
      '/etc/prometheus/coffer.rules.yml': rulesFile,
      'interval: 15s': 'interval: 200ms',
    });
    const file = join(folder, 'prometheus.yml');
    writeFileSync(file, configuration);
    await run('promtool', ['check', 'config', file]);
    const options = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`];
    const listen = `--web.listen-address=127.0.0.1:${port}`;
    prometheus = spawn('prometheus', [...options, listen], { stdio: 'ignore' });
    const responds = (): Promise<boolean> => ask('targets').then(Boolean, () => false);
    await until(responds, 'Prometheus responds');
  });
  after(async () => {
    prometheus.kill('SIGTERM');
    await once(prometheus, 'close');
    await node.end('SIGTERM');
  });

  test('scrapes Coffer', async () => {
    const targets = async (): Promise<readonly string[]> =>
      ((await ask('targets')).activeTargets ?? []).map(
        ({ health, lastError }) => health + lastError,
      );
    await until(async () => (await targets()).join() === 'up', 'the target is up');
    const ready = 'query?query=coffer_ready == 1';
    await until(async () => (await ask(ready)).result?.length === 1, 'a value is stored');
    assert.equal((await ask(ready)).result?.[0]?.metric['job'], 'coffer');
  });

  test('evaluates every rule', async () => {
    const health = async (): Promise<string> =>
      ((await ask('rules')).groups ?? [])
        .flatMap((group) => group.rules.map((rule) => `${rule.name} ${rule.health}`))
        .join();
    const expected = rules.map(({ alert }) => `${alert} ok`).join();
    await until(async () => (await health()) === expected, 'every rule is healthy');
  });

  test('finds each metric of a rule on /metrics', async () => {
    const text = await (await fetch(`${node.url}/metrics`)).text();
    const offered = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
    const used = rules.flatMap(({ expr }) => expr.match(/\b(coffer|process)_\w+/g) ?? []);
    assert.ok(used.length >= rules.length - 1);
    for (const name of used)
      assert.ok(offered.has(name.replace(/_bucket$/, '')), `${name} does not exist`);
  });

  test('raises no alert for a healthy server', async () => {
    // On a busy machine a response may take longer than the short interval, and is then missed.
    const alerts = async () => (await ask('query?query=ALERTS')).result ?? [];
    await until(async () => (await alerts()).length === 0, 'no alert is pending or fires');
  });
});
