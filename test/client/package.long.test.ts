import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import {
  type Listening,
  findChromium,
  listenHere,
} from '../../packages/core/src/testing/starts.ts';
import { noClients } from '../clients/load.ts';
import { buildClient } from '../../packages/client/build/build.ts';
import { makeMethods, methodsUrl } from '../../packages/client/build/methods.ts';
import { makeTypes, typesUrl } from '../../packages/client/build/types.ts';
import { startService, type Service } from '../service/started-service.ts';
import { ROOT } from '../house/tracked-files.ts';

const run = promisify(execFile);
const timeout = 300_000;
const chromiumPath = findChromium();

async function findNode(major: string): Promise<string | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'node');
    if (!existsSync(path)) continue;
    const { stdout } = await run(path, ['--version'], { timeout });
    if (stdout.startsWith(`v${major}.`)) return path;
  }
  return undefined;
}

const oldNode = await findNode('20');

test('the types and the methods of the client are those of the API documents', async () => {
  assert.equal(await readFile(typesUrl, 'utf8'), await makeTypes(), 'run npm run openapi');
  assert.equal(await readFile(methodsUrl, 'utf8'), await makeMethods(), 'run npm run openapi');
});

test('the client imports only its own files', () => {
  const all = globSync('packages/client/src/**/*.ts', { cwd: ROOT });
  const sources = all.filter((name) => !/\.test\.ts$|\/testing\//.test(name));
  assert.ok(sources.length > 10);
  for (const source of sources) {
    const text = readFileSync(join(ROOT, source), 'utf8');
    const imported = [...text.matchAll(/\b(?:from|import\()\s*'([^']+)'/g)].map(([, name]) => name);
    const files = imported.map((name = '') =>
      /^\.\.?\//.test(name) ? join(source, '..', name) : name,
    );
    assert.deepEqual(
      files.filter((file) => !sources.includes(file)),
      [],
      source,
    );
    assert.doesNotMatch(text, /\bprocess\.|\bBuffer\b|\brequire\(/, source);
  }
});

describe('the package of the client', () => {
  let folder = '';
  let packed = '';
  let consumer = '';
  let size = { size: 0, unpackedSize: 0 };
  let service: Service;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'coffer-client-package-'));
    packed = join(folder, 'built');
    await buildClient(packed);
    const pack = ['pack', '--json', '--pack-destination', folder];
    const { stdout } = await run('npm', pack, { cwd: packed, timeout });
    const [tarball] = JSON.parse(stdout) as [typeof size & { filename: string }];
    size = tarball;
    consumer = join(folder, 'consumer');
    const home = join(consumer, 'node_modules/@coffer/client');
    await mkdir(home, { recursive: true });
    const unpack = ['-xzf', join(folder, tarball.filename), '-C', home, '--strip-components', '1'];
    await run('tar', unpack, { timeout });
    await writeFile(join(consumer, 'package.json'), '{"type":"module"}');
    service = await startService({ rateLimit: '100000' });
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const program = (baseUrl: string, token: string): string => `
    import { ApiError, createClient } from '@coffer/client';
    const client = createClient({ baseUrl: ${baseUrl}, token: '${token}' });
    const ids = new Set();
    for await (const { id } of client.transactions.list({ limit: 100 })) ids.add(id);
    const missing = await client.transactions.get(999_999_999).catch((error) => error);
    const me = await client.me();
    const result = JSON.stringify([ids.size, missing instanceof ApiError && missing.status, me.name]);
  `;
  const expected = [1_003, 404, 'ben'];

  test('passes publint', async () => {
    const publint = join(ROOT, 'node_modules/publint/src/cli.js');
    const { stdout } = await run(process.execPath, [publint, '--strict', packed], { timeout });
    assert.match(stdout, /All good!/);
  });

  test('has the code, its types, the licence and the README, and no dependencies', async () => {
    const manifest = JSON.parse(
      await readFile(join(consumer, 'node_modules/@coffer/client/package.json'), 'utf8'),
    ) as Record<string, unknown>;
    assert.equal(manifest['name'], '@coffer/client');
    assert.deepEqual(
      [manifest['type'], manifest['sideEffects'], manifest['private']],
      ['module', false, undefined],
    );
    for (const key of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts']) {
      assert.equal(manifest[key], undefined, key);
    }
    const files = globSync('**/*', { cwd: join(consumer, 'node_modules/@coffer/client') });
    for (const name of ['esm/index.js', 'esm/index.d.ts', 'README.md', 'LICENSE'])
      assert.ok(files.includes(name), name);
    assert.ok(!files.some((name) => /test|(?<!\.d)\.ts$/.test(name)), files.join());
  });

  test('is as large as its guide says, within a tenth', () => {
    const guide = readFileSync(join(ROOT, 'docs/guide/client.md'), 'utf8');
    const [, packedKb, unpackedKb] = /(\d+) kB packed and (\d+) kB unpacked/.exec(guide) ?? [];
    for (const [said, bytes] of [
      [packedKb, size.size],
      [unpackedKb, size.unpackedSize],
    ] as const) {
      const share = (Number(said) * 1000) / bytes;
      assert.ok(share >= 0.9 && share <= 1.1, `${said} kB, not ${bytes} B`);
    }
  });

  for (const [compiler, path, module, resolution] of [
    ['5.9', 'test/clients/node_modules/typescript/bin/tsc', 'nodenext', 'nodenext'],
    ['6', 'node_modules/typescript/bin/tsc', 'esnext', 'bundler'],
    ['7', 'node_modules/typescript7/bin/tsc', 'nodenext', 'nodenext'],
    ['7', 'node_modules/typescript7/bin/tsc', 'esnext', 'bundler'],
  ] as const) {
    const skip = compiler === '5.9' && noClients;
    test(
      `has types that TypeScript ${compiler} (${resolution}) compiles without those of Node`,
      { skip },
      async () => {
        await writeFile(join(consumer, 'use.ts'), consumerSource);
        const flags = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom'];
        const args = [...flags, '--module', module, '--moduleResolution', resolution, 'use.ts'];
        const compile = run(process.execPath, [join(ROOT, path), ...args], {
          cwd: consumer,
          timeout,
        });
        await compile.catch((error: unknown) => assert.fail((error as { stdout: string }).stdout));
      },
    );
  }

  for (const [name, executable] of [
    ['Node 20', oldNode],
    ['this Node', process.execPath],
  ] as const) {
    const skip = executable === undefined && 'missing: node 20';
    test(`walks a list on ${name}, and the process then exits`, { skip, timeout }, async () => {
      const file = join(consumer, 'walk.js');
      await writeFile(
        file,
        `${program(`'${service.baseUrl}'`, service.ben.token)}console.log(result);`,
      );
      const { stdout, stderr } = await run(executable!, [file], {
        cwd: consumer,
        timeout: 20_000,
      });
      assert.deepEqual([JSON.parse(stdout), stderr], [expected, '']);
    });
  }

  const skipOld = oldNode === undefined && 'missing: node 20';
  test(
    'on Node 20, connections that are closed after each response are not a failure',
    { skip: skipOld, timeout },
    async (t) => {
      const server = createServer((incoming, response) => {
        const offset = Number(new URL(incoming.url ?? '', 'http://a').searchParams.get('offset'));
        const body = { transactions: [{ id: offset + 1 }], has_more: offset < 29 };
        response.once('finish', () => incoming.socket.destroy()).end(JSON.stringify(body));
      });
      const { url, close } = await listenHere(server);
      t.after(close);
      const text = `
      import { createClient } from '@coffer/client';
      const client = createClient({ baseUrl: '${url}', token: 'a' });
      console.log((await client.transactions.toArray({ limit: 1 }, { max: 99 })).length);`;
      const file = join(consumer, 'closing.js');
      await writeFile(file, text);
      const { stdout } = await run(oldNode!, [file], { cwd: consumer, timeout: 30_000 });
      assert.equal(stdout, '30\n');
    },
  );

  const skip = chromiumPath === null && 'missing: chromium';
  test(
    'walks a list in a browser, from a page of the same origin',
    { skip, timeout },
    async (t) => {
      const page = `<!doctype html><title>Walk</title>
      <script type="importmap">{"imports":{"@coffer/client":"/client/esm/index.js"}}</script>
      <script type="module">${program('location.origin', service.ben.token)}document.title = result;</script>`;
      const files = join(consumer, 'node_modules/@coffer/client');
      const { url, close } = await servePage(page, files, service.port);
      t.after(close);
      const args = ['--no-sandbox', '--disable-gpu', '--no-first-run'];
      const browser = await chromium.launch({
        executablePath: chromiumPath!,
        args: [...args, '--disable-background-networking'],
      });
      t.after(() => browser.close());
      const tab = await browser.newPage();
      const errors: string[] = [];
      tab.on('pageerror', (error) => errors.push(String(error)));
      await tab.goto(url);
      await tab.waitForFunction('document.title !== "Walk"', undefined, { timeout: 20_000 });
      assert.deepEqual([JSON.parse(await tab.title()), errors], [expected, []]);
    },
  );
});

const consumerSource = `
  import { createClient, RateLimitError, type Transaction, type TransactionPage } from '@coffer/client';
  const client = createClient({ baseUrl: 'http://127.0.0.1', token: 'a', fetch });
  export async function use(): Promise<string> {
    const page: TransactionPage = await client.transactions.page({ status: 'reviewed', limit: 10 });
    const rows: Transaction[] = await client.transactions.toArray({}, { max: 10 });
    for await (const { amount } of client.transactions.list()) return amount;
    // @ts-expect-error There is no such filter.
    await client.transactions.page({ colour: 'red' });
    // @ts-expect-error An array needs a bound.
    await client.transactions.toArray({});
    // @ts-expect-error Money is text.
    const sum: number = rows[0]!.amount;
    const error: unknown = page;
    return error instanceof RateLimitError ? String(error.retryAfterMs) : String(sum);
  }
`;

function servePage(page: string, client: string, port: number): Promise<Listening> {
  const server = createServer((incoming, response) => {
    const { url: path = '/', method, headers } = incoming;
    if (path === '/') {
      response.setHeader('Content-Type', 'text/html').end(page);
    } else if (path.startsWith('/client/')) {
      const text = readFileSync(join(client, path.replace('/client/', '')));
      response.setHeader('Content-Type', 'text/javascript').end(text);
    } else if (path.startsWith('/v2/')) {
      const forwarded = request({ port, path, method, headers, host: '127.0.0.1' }, (from) => {
        response.writeHead(from.statusCode ?? 0, from.headers);
        from.pipe(response);
      });
      incoming.pipe(forwarded);
    } else {
      response.writeHead(204).end();
    }
  });
  return listenHere(server);
}
