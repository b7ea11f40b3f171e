import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { chromium, type Browser } from 'playwright-core';
import { findChromium, listenHere } from '../../packages/core/src/testing/starts.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { serve, type RunningServer } from '../../packages/server/src/main.ts';
import { addOwner } from '../service/owners.ts';

const executablePath = findChromium();
const skip = executablePath === null && 'missing: chromium';

/** Without the browser UI, whose pages test/web looks at. */
const settings = { port: '0', database: 'sqlite::memory:', logLevel: 'silent', web: 'off' };

const hrefsOf = (links: unknown[]): string[] => links.map((link) => (link as URL).href);

/** The headers that two web apps for Lunch Money send with every request. */
const ofApps = {
  'cache-control': 'no-cache',
  pragma: 'no-cache',
  expires: '0',
  'if-modified-since': '0',
  'x-client-app': 'an app',
};

/** Source that requests transactions, after a preflight, and returns what a page sees of the response. */
function transactionsBy(url: string, token: string): string {
  const headers = JSON.stringify({ authorization: `Bearer ${token}`, ...ofApps });
  return `fetch('${url}/v2/transactions', { headers: ${headers} }).then(
    ({ status, headers }) => 'status ' + status + ', remaining ' + headers.get('ratelimit-remaining'),
    String,
  )`;
}

describe('in a browser', { skip }, () => {
  let browser: Browser;
  let server: RunningServer;

  before(async () => {
    server = await serve(readConfig(settings, {}));
    browser = await chromium.launch({
      executablePath: executablePath!,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
  });
  after(async () => {
    await browser.close();
    await server.close();
  });

  async function visit(path: string) {
    const page = await browser.newPage();
    const foreign: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      if (![server.url, 'data:', 'blob:'].some((ours) => url.startsWith(ours))) foreign.push(url);
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(`${server.url}${path}`, { waitUntil: 'load' });
    return { page, foreign, errors };
  }

  for (const [what, corsOrigins, expected] of [
    ['reads transactions when its origin is allowed', true, 'status 200, remaining 98'],
    ['cannot read transactions by default', false, 'TypeError: Failed to fetch'],
  ] as const) {
    it(`a page of another origin ${what}`, async () => {
      const other = createServer((_request, response) => response.end('<!doctype html>'));
      const { url: origin, close } = await listenHere(other);
      const service = await serve(
        readConfig({ ...settings, ...(corsOrigins && { corsOrigins: origin }) }, {}),
      );
      const { token } = await addOwner(service.engine, 'ada');
      const page = await browser.newPage();
      await page.goto(origin);
      assert.equal(await page.evaluate(transactionsBy(service.url, token)), expected);
      await page.close();
      await service.close();
      await close();
    });
  }

  it('the first page shows the name of the service and links to the documentation', async () => {
    const { page, foreign, errors } = await visit('/');
    assert.match((await page.locator('h1').first().textContent()) ?? '', /Coffer/);
    await page.locator('a[href="/docs"]').first().click();
    await page.waitForURL(`${server.url}/docs`);
    assert.deepEqual([foreign, errors], [[], []]);
    await page.close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`the first page fits a narrow screen in ${colorScheme} colours`, async () => {
      const { page } = await visit('/');
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 360, height: 640 });
      const width = await page.evaluate('document.documentElement.scrollWidth');
      assert.ok(Number(width) <= 360, `${String(width)} pixels wide`);
      await page.close();
    });
  }

  it('the API reader shows every operation and its server, and neither calls nor links to another host', async () => {
    const { page, foreign, errors } = await visit('/docs/');
    await page.getByText('List transactions').first().waitFor({ timeout: 20_000 });
    const text = await page.locator('body').innerText();
    const names = ['Get a transaction', 'categories', 'me', 'Download OpenAPI Document'];
    for (const name of [...names, server.url]) assert.ok(text.includes(name), name);
    const links = await page.locator('a[href]').evaluateAll(hrefsOf);
    const others = links.filter((link) => !link.startsWith(server.url));
    assert.deepEqual([others, foreign, errors], [[], [], []]);
    await page.close();
  });
});
