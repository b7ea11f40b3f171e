import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { listenHere } from '../../packages/core/src/testing/starts.ts';
import { isWithin, parseNetworks } from '../../packages/server/src/limiter/address.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import {
  deployFolder,
  msOf,
  patienceMs,
  settingsIn,
  textOf,
  unknownSettings,
} from './deploy-files.ts';
import { replaced } from './proxies.ts';
import { ROOT } from '../house/tracked-files.ts';

const run = promisify(execFile);
const secret = 'f'.repeat(64);

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly networks?: readonly string[] | Record<string, { readonly ipv4_address: string }>;
  readonly stop_grace_period?: string;
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly networks?: {
    readonly inside: { readonly ipam: { readonly config: readonly Record<string, string>[] } };
  };
}

function read(name: string): Compose {
  return parse(textOf(name), { merge: true, strict: true }) as Compose;
}

function environmentOf({ environment = {} }: Service): Record<string, string> {
  const filled = (value: string): string =>
    value.replaceAll(/\$\{\w+:-\}/g, '').replaceAll(/\$\{[^}]+\}/g, secret);
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, filled(value)]),
  );
}

function addressOf({ networks }: Service): string {
  const { inside } = networks as Record<string, { readonly ipv4_address: string }>;
  return inside?.ipv4_address ?? assert.fail('The service has no address');
}

/** Every file, volume, network and build that a compose file names exists, and what a service waits for has a check. */
function assertComplete({ services, volumes, networks = {} as never }: Compose): void {
  for (const service of Object.values(services)) {
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      const exists = source.startsWith('.')
        ? existsSync(join(deployFolder, source))
        : Object.hasOwn(volumes, source);
      assert.ok(exists, source);
    }
    for (const name of Object.keys(service.depends_on ?? {}))
      assert.ok(services[name]?.healthcheck, `${name} has no health check`);
    if (service.build !== undefined)
      assert.ok(existsSync(join(deployFolder, service.build.context, service.build.dockerfile)));
    const names = Array.isArray(service.networks)
      ? (service.networks as string[])
      : Object.keys(service.networks ?? {});
    assert.deepEqual(names, Object.keys(networks));
  }
}

describe('deploy/compose.yaml', () => {
  const text = textOf('compose.yaml');
  const compose = read('compose.yaml');
  const { services } = compose;
  const { postgres, valkey, node1, node2, proxy } = services as Record<string, Service>;
  const nodes = [node1!, node2!];
  const environment = environmentOf(node1!);

  test('has a database, a limiter, two equal nodes, and a proxy', () => {
    assert.deepEqual(Object.keys(services), ['postgres', 'valkey', 'node1', 'node2', 'proxy']);
    assert.ok(postgres && valkey && proxy);
    const [first, second] = nodes.map(({ networks: _, ...rest }) => rest);
    assert.deepEqual(first, second);
  });

  test('gives the nodes settings that exist, with values that Coffer accepts', () => {
    assert.deepEqual(unknownSettings(environment), []);
    const config = readConfig({}, environment);
    assert.equal(config.database.engine, 'postgres');
    assert.notEqual(config.redis, null);
    assert.ok(config.stopDelayMs >= 2000, 'HAProxy notices a stop in less than 2 s');
    for (const { stop_grace_period: grace } of nodes)
      assert.ok(msOf(grace ?? '0s') > config.stopDelayMs + patienceMs);
  });

  test('has no secret, and its example names every secret that it needs', () => {
    const wanted = new Set([...text.matchAll(/\$\{([A-Z_]+):\?[^}]+\}/g)].map(([, name]) => name));
    const example = settingsIn(textOf('compose.env.example'));
    assert.deepEqual([...wanted].toSorted(), Object.keys(example).toSorted());
    assert.deepEqual([...new Set(Object.values(example))], ['']);
    assert.equal([...text.matchAll(/\$\{/g)].length, [...text.matchAll(/\$\{[A-Z_]+:\?/g)].length);
    assert.doesNotMatch(text, /(PASSWORD|KEY): (?!\$\{)/);
    assert.match(readFileSync(join(ROOT, '.gitignore'), 'utf8'), /^deploy\/\.env$/m);
  });

  test('trusts only the proxy, whose address no other container can get', () => {
    const fixed = [proxy!, ...nodes].map(addressOf);
    assert.equal(environment['TRUSTED_PROXIES'], fixed[0]);
    assert.equal(new Set(fixed).size, 3);
    const [{ subnet = '', ip_range: range = '' } = {}] = compose.networks!.inside.ipam.config;
    for (const address of fixed) {
      assert.ok(isWithin(address, parseNetworks(subnet, 'subnet')));
      assert.ok(!isWithin(address, parseNetworks(range, 'range')), 'others may get it');
    }
    const others = Object.values(services).filter((service) => service !== proxy);
    for (const { ports } of others) assert.equal(ports, undefined);
  });

  test('joins the ports of the machine, the proxy, the nodes and the image', () => {
    const { COFFER_BIND: bind = '', ...nodePlaces } = proxy!.environment ?? {};
    assert.deepEqual(proxy!.ports, [`127.0.0.1:8080${bind}`]);
    const places = nodes.map((node) => `${addressOf(node)}:${environment['PORT']}`);
    assert.deepEqual(Object.values(nodePlaces), places);
    assert.match(textOf('Containerfile'), new RegExp(`^EXPOSE ${environment['PORT']}$`, 'm'));
    for (const name of ['COFFER_BIND', ...Object.keys(nodePlaces)])
      assert.match(textOf('haproxy.cfg'), new RegExp(`^    presetenv ${name} `, 'm'));
  });

  test('names only files, volumes, networks and checks that exist', () => assertComplete(compose));

  test('checks the health of a node by a program that detects a failure', async () => {
    const [, , , program = ''] = node1?.healthcheck?.test ?? [];
    const codeFor = async (response: string): Promise<number> => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.end(response);
      });
      const { port, close } = await listenHere(server);
      const source = replaced(program, { '127.0.0.1:8080': `127.0.0.1:${port}` });
      const running = run(process.execPath, ['--eval', source], { timeout: 20_000 });
      const ended = await running.catch((error: unknown) => error as { code: number });
      await close();
      return 'code' in ended ? ended.code : 0;
    };
    const response = (status: string): string => `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`;
    assert.equal(await codeFor(response('200 OK')), 0);
    assert.equal(await codeFor(response('503 Service Unavailable')), 1);
    assert.equal(await codeFor(''), 1);
  });
});

describe('deploy/compose.one-node.yaml', () => {
  const compose = read('compose.one-node.yaml');
  const coffer = compose.services['coffer']!;

  test('has one node with the rights and the health check of a node of a pool', () => {
    assert.deepEqual(Object.keys(compose.services), ['coffer']);
    const node = read('compose.yaml').services['node1']!;
    for (const key of ['image', 'build', 'healthcheck', 'read_only', 'cap_drop'] as const)
      assert.deepEqual(coffer[key], node[key], key);
    assert.deepEqual(coffer.tmpfs, ['/tmp']);
    assertComplete(compose);
  });

  test('starts without any setting, and gives it time to stop', () => {
    const environment = environmentOf(coffer);
    assert.deepEqual(unknownSettings(environment), []);
    assert.equal(readConfig({}, environment).stopDelayMs, 0);
    assert.ok(msOf(coffer.stop_grace_period ?? '') > patienceMs);
    assert.deepEqual(coffer.ports, ['127.0.0.1:8080:8080']);
  });

  test('keeps the database of the image in its volume', () => {
    const [, folder = ''] = coffer.volumes?.[0]?.split(':') ?? [];
    const image = textOf('Containerfile');
    assert.match(image, new RegExp(` DATABASE_URL=sqlite:${folder}/coffer\\.db$`, 'm'));
    assert.match(image, new RegExp(`chown node:node ${folder}$`, 'm'));
  });
});
