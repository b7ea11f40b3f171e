import assert from 'node:assert/strict';
import { after, afterEach, before, describe } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { isLong } from '../../packages/core/src/testing/length.ts';
import { endsWithProcess } from '../../packages/core/src/testing/ends.ts';
import type { RunningServer } from '../../packages/server/src/main.ts';
import { desktop, launchBrowser, newWindow, phone, settled, skip } from './browser.ts';
import { addBook, startServer, type ServedBook } from './served-book.ts';

export interface OpenOptions {
  /** False to open the page without a session; true by default. */
  readonly isSignedIn?: boolean;
  readonly isPhone?: boolean;
  /** What the console may report: the browser itself says there which requests were refused or not sent. */
  readonly expected?: RegExp;
}

/** The book of a suite, and a way to open its pages. */
export interface Site extends Pick<ServedBook, 'link' | 'signIn'> {
  /** Opens a page. What it requests elsewhere or its console reports until the end of the test fails the test. */
  readonly open: (path: string, options?: OpenOptions) => Promise<Page>;
}

/** A page that all suites of the process use, because a new one costs more than most tests. */
interface Window {
  readonly page: Page;
  readonly isPhone: boolean;
  /** What must stay empty. */
  seen: { readonly foreign: string[]; readonly errors: string[] };
  /** What was sent and what the server returned, for a test that fails. */
  sent: string[];
  expected?: RegExp | undefined;
}

let browser: Promise<Browser> | undefined;
let server: Promise<RunningServer> | undefined;
const windows = new Map<boolean, Window>();
endsWithProcess(async () => {
  await (await browser)?.close();
  await (await server)?.close();
});

export function sharedBrowser(): Promise<Browser> {
  return (browser ??= launchBrowser());
}

/** Serves a demo book of some transactions, or an empty one, on the server of the process. */
export async function serveBook(transactions: number): Promise<ServedBook> {
  return addBook(await (server ??= startServer()), transactions);
}

/**
 * A suite with a book of its own: the demo book with a number of transactions, or an empty one for 0. Each page that it
 * opens begins with a new session and without what another one stored.
 */
export function webSuite(name: string, transactions: number, tests: (site: Site) => void): void {
  describe(name, { skip, timeout: isLong ? 900_000 : 300_000 }, () => {
    let book: ServedBook;
    const opened = new Set<Window>();
    before(async () => {
      book = await serveBook(transactions);
    });
    afterEach(async (context) => {
      const hasFailed = 'passed' in context && !context.passed;
      for (const window of opened) {
        if (hasFailed) await showState(window);
        await leave(window);
      }
      opened.clear();
    });
    after(async () => {
      // A page that is left open goes on working during the tests of other files.
      for (const { page } of windows.values()) await page.goto('about:blank');
    });
    tests({
      link: () => book.link(),
      signIn: () => book.signIn(),
      open: async (path, { isSignedIn = true, isPhone = false, expected } = {}) => {
        const window = windows.get(isPhone) ?? (await openWindow(book.origin, isPhone));
        const { page } = window;
        opened.add(window);
        const url = book.origin;
        if (isSignedIn) await page.context().addCookies([{ ...(await book.signIn()), url }]);
        else await page.context().clearCookies();
        Object.assign(window, { seen: { foreign: [], errors: [] }, sent: [], expected });
        await page.goto(path);
        await settled(page);
        return page;
      },
    });
  });
}

async function openWindow(origin: string, isPhone: boolean): Promise<Window> {
  const touch = { viewport: phone, hasTouch: true, isMobile: true };
  const context = await newWindow(await sharedBrowser(), origin, isPhone ? touch : {});
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const window: Window = { page, isPhone, seen: { foreign: [], errors: [] }, sent: [] };
  windows.set(isPhone, window);
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && !url.startsWith(origin)) window.seen.foreign.push(url);
  });
  page.on('response', (response) => {
    const request = response.request();
    if (request.method() !== 'GET')
      window.sent.push(`${request.method()} ${response.url()} ${response.status()}`);
  });
  const report = (text: string): void => {
    if (text.startsWith('Service Worker registration blocked')) return;
    if (window.expected?.test(text) !== true) window.seen.errors.push(text);
  };
  page.on('pageerror', (error) => report(String(error)));
  page.on('console', (message) => {
    // The policy reports what it refuses here too.
    if (['error', 'warning'].includes(message.type()))
      report(`${message.text()} ${message.location().url}`);
  });
  return window;
}

/** Prints what a failed test leaves: the report shows what its worker printed. */
async function showState({ page, seen, sent }: Window): Promise<void> {
  const shown = await page.evaluate(() => ({
    address: location.href,
    messages: [...document.querySelectorAll('.toast')].map((toast) => toast.textContent),
    focus: document.activeElement?.outerHTML.slice(0, 200),
    text: document.body.innerText.slice(0, 1000),
  }));
  console.error(JSON.stringify({ ...shown, ...seen, sent: sent.slice(-20) }, null, 1));
}

/** Puts a page back into the state of a new one, and checks what it has done. */
async function leave({ page, isPhone, seen }: Window): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().setOffline(false);
  await page.setViewportSize(isPhone ? phone : desktop);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  assert.deepEqual(seen, { foreign: [], errors: [] }, 'other origins, and the console');
}
