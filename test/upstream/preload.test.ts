import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { newFolder } from '../../packages/server/src/db/testing/folder.ts';
import { noClients, pathOf } from '../clients/load.ts';
import { connectToProgram, textOf } from '../clients/mcp.ts';
import { startService, type Service } from '../service/started-service.ts';

/* Programs from npm, unchanged, with the preload that docs/guide/clients.md shows. */

const page = readFileSync(new URL('../../docs/guide/clients.md', import.meta.url), 'utf8');

/** The only match of a pattern in the page. */
function shown(pattern: RegExp): string {
  const found = [...page.matchAll(new RegExp(pattern, 'g'))];
  assert.equal(found.length, 1, String(pattern));
  return found[0]![1]!;
}

describe('programs with a preload', { skip: noClients }, () => {
  const folder = newFolder();
  let service: Service;
  let environment: Readonly<Record<string, string>> = {};

  before(async () => {
    service = await startService();
    writeFileSync(join(folder, 'redirect.mjs'), shown(/cat >redirect\.mjs <<'END'\n([^]*?)END\n/));
    const options = shown(/export (NODE_OPTIONS=\S+ \S+)/).replaceAll(/["']/g, '');
    environment = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      BASE_URL: service.baseUrl,
      NODE_OPTIONS: options.slice('NODE_OPTIONS='.length),
    };
  });
  after(() => service.close());

  /** Runs a program with the preload and returns its stdout. */
  function run(args: readonly string[], input = ''): Promise<string> {
    const env = { ...environment, TOKEN: service.ada.token };
    return new Promise((resolve, reject) => {
      const child = execFile(process.execPath, args, { cwd: folder, env }, (error, out) => {
        if (error === null) resolve(out);
        else reject(new Error(`${args.join(' ')} failed: ${out}`, { cause: error }));
      });
      child.stdin?.end(input);
    });
  }

  /** Runs the command line client and returns its stdout. */
  function lm(words: readonly string[], input = ''): Promise<string> {
    const bin = join(dirname(dirname(pathOf('lunch-money-cli'))), 'bin/run.js');
    return run([bin, ...words], input);
  }

  test('the command line client saves a token and uses it', async () => {
    await assert.rejects(lm(['user', 'me']));
    await lm(['auth'], `${service.ada.token}\n`);
    const me = JSON.parse(await lm(['user', 'me', '--json'])) as { email: string };
    assert.equal(me.email, service.ada.email);
  });

  test('the MCP server starts with the settings of the page', async () => {
    const { mcpServers } = JSON.parse(shown(/```json\n([^]*?)```/)) as {
      mcpServers: { coffer: { args: string[]; env: Record<string, string> } };
    };
    const { args, env } = mcpServers.coffer;
    const name = '@akutishevsky/lunchmoney-mcp';
    const manifest = pathOf(`${name}/package.json`);
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    assert.deepEqual(args, ['-y', `${name}@${version}`]);
    assert.deepEqual(Object.keys(env), ['LUNCHMONEY_API_TOKEN', 'BASE_URL', 'NODE_OPTIONS']);
    assert.equal(env['NODE_OPTIONS'], '--import /path/to/redirect.mjs');
    const client = await connectToProgram({
      command: process.execPath,
      args: [join(dirname(manifest), 'build/index.js')],
      cwd: folder,
      env: { ...environment, LUNCHMONEY_API_TOKEN: service.ada.token },
      stderr: 'ignore',
    });
    const result = await client.callTool({ name: 'get_user', arguments: {} });
    await client.close();
    assert.match(textOf(result), /ada@example\.org/);
  });

  /** Clients of v1: the first uses node-fetch, the other the fetch of Node.js. */
  for (const [name, construct] of [
    ['lunch-money', 'new LunchMoney({ token })'],
    ['lunch-money-client', 'new LunchMoney(token)'],
  ] as const)
    test(`a program with ${name} reads the book`, async () => {
      const file = join(folder, `${name}.mjs`);
      const text = [
        `import { LunchMoney } from ${JSON.stringify(pathToFileURL(pathOf(name)))};`,
        'const token = process.env.TOKEN;',
        `console.log(JSON.stringify(await ${construct}.getCategories()));`,
      ];
      writeFileSync(file, text.join('\n'));
      assert.match(await run([file]), /"name":"Home"/);
    });
});
