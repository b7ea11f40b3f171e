import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chromium } from 'playwright-core';
import { createClient } from '../../packages/client/src/index.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { serve, type RunningServer } from '../../packages/server/src/main.ts';
import { findChromium, freePort } from '../../packages/core/src/testing/starts.ts';
import { ROOT } from '../house/tracked-files.ts';
import { addOwner } from '../service/owners.ts';
import { replaced, skipWithout, startNginx, type Nginx } from './proxies.ts';

const executablePath = findChromium();
const skip = skipWithout('nginx') || (executablePath === null && 'missing: chromium');

describe('behind nginx with a --public-url that has a path', { skip, timeout: 300_000 }, () => {
  let token: string;
  let server: RunningServer;
  let nginx: Nginx;
  let publicUrl: string;

  before(async () => {
    const port = await freePort();
    const page = readFileSync(join(ROOT, 'docs/operate/behind-a-proxy.md'), 'utf8');
    const location = /^```nginx\n([^]*?)^```/m.exec(page)?.[1] ?? '';
    nginx = await startNginx([port, port], (configuration) =>
      configuration.replace(
        /^ {4}location \/ \{[^]*?^ {4}\}/m,
        replaced(location, { '127.0.0.1:8080': `127.0.0.1:${port}` }),
      ),
    );
    publicUrl = `http://books.example:${new URL(nginx.url).port}/coffer`;
    const settings = { port: String(port), database: 'sqlite::memory:', logLevel: 'silent' };
    server = await serve(
      readConfig({ ...settings, publicUrl: `${publicUrl}/`, trustedProxies: '127.0.0.1' }, {}),
    );
    ({ token } = await addOwner(server.engine, 'Ada'));
  });
  after(async () => {
    await nginx.stop();
    await server.close();
  });

  test('a client reads and writes by the address with the path', async () => {
    const client = createClient({ baseUrl: `${nginx.url}/coffer/v2`, token });
    const { id } = await client.tags.create({ name: 'Trip' });
    assert.deepEqual(
      (await client.tags.list()).map((tag) => tag.id),
      [id],
    );
    assert.equal((await client.me()).name, 'Ada');
  });

  test('a browser follows the pages, which show the public URL and request nothing outside it', async (t) => {
    const rules = `--host-resolver-rules=MAP books.example 127.0.0.1`;
    const browser = await chromium.launch({
      executablePath: executablePath!,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', rules],
    });
    t.after(() => browser.close());
    const page = await browser.newPage();
    // The pages of the documentation are slow while many other processes run.
    page.setDefaultTimeout(120_000);
    const requested: string[] = [];
    const failed: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('response', (response) => {
      if (!response.ok()) failed.push(response.url());
    });
    await page.goto(`${publicUrl}/`);
    await page.getByRole('button', { name: 'Sign in' }).first().waitFor();
    assert.ok(page.url().startsWith(`${publicUrl}/sign-in`), page.url());
    await page.goto(`${publicUrl}/docs`);
    await page.getByText('List transactions').first().waitFor();
    assert.ok(page.url().startsWith(`${publicUrl}/docs`), page.url());
    assert.ok((await page.locator('body').innerText()).includes(publicUrl));
    const isOutside = (url: string): boolean =>
      !url.startsWith(`${publicUrl}/`) && !/^(data|blob):/.test(url);
    assert.deepEqual([requested.filter(isOutside), failed], [[], []]);
  });
});
