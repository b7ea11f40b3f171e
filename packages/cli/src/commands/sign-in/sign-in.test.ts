import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeBook, makeFolder, runCoffer } from '../../testing/run-coffer.ts';

const folder = makeFolder();
const whose = await makeBook(folder);

test('a link is printed alone, another one each time, for the address of the server', async () => {
  const links: string[] = [];
  for (const [args, address] of [
    [[], 'http://localhost:8080'],
    [['--port', '9090'], 'http://localhost:9090'],
    [['--public-url', 'https://host.example/money/'], 'https://host.example/money'],
  ] as const) {
    const { code, stdout, stderr } = await runCoffer(['sign-in', ...args, ...whose]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Signs ".+@.+" in, once and within 15 minutes\n$/);
    const [, page, secret = ''] = /^(.+)\/start#([\w-]{22})\n$/.exec(stdout) ?? [];
    assert.equal(page, address, stdout);
    links.push(secret);
  }
  assert.equal(new Set(links).size, links.length);
});
