import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { readConfig, serve } from '../../packages/server/src/main.ts';
import type { RunningServer } from '../../packages/server/src/main.ts';

const executablePath = '/usr/bin/chromium';
const skip = existsSync(executablePath) ? false : 'missing: chromium';

/** What a page did while it was open that it should not have done. */
interface Visit {
  readonly page: Page;
  readonly foreign: string[];
  readonly errors: string[];
}

describe('in a browser', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-browser-'));
  let browser: Browser;
  let server: RunningServer;

  before(async () => {
    server = await serve(
      readConfig({ port: '0', database: 'sqlite::memory:', logLevel: 'silent' }, {}),
    );
    browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
  });
  after(async () => {
    await browser.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function visit(path: string): Promise<Visit> {
    const page = await browser.newPage();
    const foreign: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      const isOurs =
        url.startsWith(server.url) || url.startsWith('data:') || url.startsWith('blob:');
      if (!isOurs) foreign.push(url);
    });
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(`${server.url}${path}`, { waitUntil: 'load' });
    return { page, foreign, errors };
  }

  it('the first page says what this is and leads to the documentation', async () => {
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

  it('the reader shows every operation and asks nobody but this server', async () => {
    const { page, foreign, errors } = await visit('/docs');
    await page.getByText('List transactions').first().waitFor({ timeout: 20_000 });
    const text = await page.locator('body').innerText();
    const names = ['Get a transaction', 'categories', 'me', 'Download OpenAPI Document'];
    for (const name of names) assert.ok(text.includes(name), name);
    assert.deepEqual(foreign, []);
    assert.deepEqual(errors, []);
    await page.close();
  });
});
