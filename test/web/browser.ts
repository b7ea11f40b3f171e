import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { findWebBundle } from '../../packages/server/src/http/web/bundle.ts';
import type { ServedBook } from './served-book.ts';

const executablePath = '/usr/bin/chromium';

/** Why tests with a browser cannot run; false when they can. */
export const skip = ((): string | false => {
  if (!existsSync(executablePath)) return 'missing: chromium';
  return 'problem' in findWebBundle() ? 'missing: the bundle of the browser UI' : false;
})();

/** Starts the browser. */
export function launchBrowser(): Promise<Browser> {
  const quiet = ['--disable-gpu', '--disable-background-networking', '--no-first-run'];
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--lang=en-GB', ...quiet] });
}

/** An open page, and what must stay empty: what it requested elsewhere, and what its console reported. */
export interface Visit {
  readonly page: Page;
  readonly foreign: string[];
  readonly errors: string[];
}

/** How a page is opened. */
export interface VisitOptions extends BrowserContextOptions {
  /** False to open the page without a session; true by default. */
  readonly isSignedIn?: boolean;
}

/** The size of a small phone. */
export const phone = { width: 360, height: 740 };
const desktop = { width: 1280, height: 800 };

/** Opens a page in a context of its own, signed in by a link. */
export async function openVisit(
  browser: Browser,
  served: ServedBook,
  path: string,
  { isSignedIn = true, ...options }: VisitOptions = {},
): Promise<Visit> {
  const usual = { viewport: desktop, locale: 'en-GB', colorScheme: 'light' } as const;
  const context = await browser.newContext({ ...usual, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const [foreign, errors]: [string[], string[]] = [[], []];
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && !url.startsWith(served.origin)) foreign.push(url);
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    // The policy reports what it refuses here too.
    if (['error', 'warning'].includes(message.type())) errors.push(message.text());
  });
  if (isSignedIn) {
    await page.goto(await served.link());
    await page.waitForURL(`${served.origin}/`);
  }
  if (!isSignedIn || path !== '/') await page.goto(served.origin + path);
  await settled(page);
  return { page, foreign, errors };
}

/** Waits until nothing is loading and nothing moves. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('#root > *') !== null &&
      document.querySelector('.loading, [aria-busy="true"]') === null &&
      document.getAnimations().every(({ playState }) => playState !== 'running'),
  );
}

/** Closes a page with its context. */
export async function closeVisit({ page }: Visit): Promise<void> {
  await page.context().close();
}
