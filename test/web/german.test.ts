import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { send } from './acts.ts';
import { newWindow, settled, skip } from './browser.ts';
import { serveBook, sharedBrowser } from './suite.ts';

const texts = join(import.meta.dirname, '../../packages/web/src/texts');

/** The English texts that are no functions. */
async function englishTexts(): Promise<readonly string[]> {
  const textsIn = (value: unknown): string[] => {
    if (typeof value === 'string') return [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
  };
  const files = readdirSync(join(texts, 'en')).map((file) => import(join(texts, 'en', file)));
  return (await Promise.all(files)).flatMap((all) => Object.values(all as object).flatMap(textsIn));
}

/** The German texts as their files have them: to import them would replace the English ones. */
function germanTexts(): readonly string[] {
  return readdirSync(join(texts, 'de')).flatMap((file) => {
    const source = readFileSync(join(texts, 'de', file), 'utf8');
    return [...source.matchAll(/'((?:[^'\\\n]|\\.)*)'|"([^"\n]*)"/g)].map(
      ([, text, other]) => text?.replaceAll("\\'", "'") ?? other!,
    );
  });
}

describe('in German', { skip, timeout: 300_000 }, () => {
  let context: BrowserContext;
  let page: Page;
  before(async () => {
    const book = await serveBook(300);
    const browser = await sharedBrowser();
    context = await newWindow(browser, book.origin, { locale: 'de-AT' });
    await context.addCookies([{ ...(await book.signIn()), url: book.origin }]);
    page = await context.newPage();
    await page.goto('/');
  });
  after(() => context.close());

  /** What the book itself calls its categories and tags. */
  async function namesInBook(): Promise<readonly string[]> {
    const query = { format: 'flattened' } as const;
    const { categories } = await send(page, 'GET /v2/categories', { query });
    const { tags } = await send(page, 'GET /v2/tags', {});
    return [...categories, ...tags].map(({ name }) => name);
  }

  test('every screen shows no text of the English catalogue', async () => {
    const german = new Set([...germanTexts(), ...(await namesInBook())]);
    const english = (await englishTexts()).filter(
      (text) => /[A-Za-z]{3}/.test(text) && !german.has(text),
    );
    const paths = [
      '/',
      '/transactions',
      '/review',
      '/budget',
      '/recurring',
      '/import',
      '/accounts',
    ];
    const others = [
      '/history',
      '/categories',
      '/settings',
      '/settings/webhooks',
      '/settings/tokens',
    ];
    const reports = ['/reports/spending', '/reports/net-worth', '/reports/flow'];
    for (const path of [...paths, ...others, ...reports]) {
      await page.goto(path);
      await settled(page);
      const shown = await page.evaluate(() => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found: string[] = [];
        while (walker.nextNode() !== null) found.push(walker.currentNode.nodeValue?.trim() ?? '');
        for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]'))
          for (const name of ['aria-label', 'title', 'placeholder'])
            found.push(element.getAttribute(name) ?? '');
        return found;
      });
      assert.deepEqual(
        english.filter((text) => shown.includes(text)),
        [],
        path,
      );
    }
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    await page.getByRole('link', { name: 'Einstellungen' }).first().waitFor();
  });

  test('a language that was chosen stays, whatever the browser has', async () => {
    await page.goto('/settings/formats');
    await page.getByRole('radio', { name: 'English' }).check({ force: true });
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.goto('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
});
