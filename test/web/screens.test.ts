import { after, before, describe, mock, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { RunningServer } from '../../packages/server/src/main.ts';
import { readUntil, send } from './acts.ts';
import { newWindow, skip } from './browser.ts';
import { addBook, startServer } from './served-book.ts';
import { sharedBrowser } from './suite.ts';
import { approveLines } from '../approved/approved.ts';
import {
  controlsOf,
  fixClock,
  followParts,
  linesIn,
  linesOf,
  quiet,
  shapesOf,
  stillness,
  textOf,
} from './still-page.ts';
import { isLong } from '../../packages/core/src/testing/length.ts';

const now = Date.parse('2026-10-28T09:30:00Z');

const paths = {
  overview: '/',
  transactions: '/transactions?q=2026-10',
  search: '/transactions?q=70..90+2026-03..05',
  review: '/review',
  spending: '/reports',
  'net-worth': '/reports/net-worth',
  flow: '/reports/flow',
  budget: '/budget',
  recurring: '/recurring',
  calendar: '/recurring/calendar/2026-10',
  import: '/import',
  'one-import': '/import/1',
  history: '/history',
  accounts: '/accounts',
  categories: '/categories',
  tags: '/categories/tags',
  formats: '/settings',
  'signing-in': '/settings/signing-in',
  tokens: '/settings/tokens',
  webhooks: '/settings/webhooks',
  download: '/settings/download',
};

/** The dialog has a form. */
const submit = /- (textbox|combobox|spinbutton) /;

describe('screens', { skip, timeout: 600_000 }, () => {
  let server: RunningServer;
  let page: Page;

  before(async () => {
    mock.timers.enable({ apis: ['Date'], now });
    server = await startServer();
    const book = await addBook(server, 1000);
    const window = await newWindow(await sharedBrowser(), book.origin, { timezoneId: 'UTC' });
    await window.addCookies([{ ...(await book.signIn()), url: book.origin }]);
    await window.addInitScript(fixClock, now);
    await window.addInitScript(quiet);
    page = await window.newPage();
    followParts(page);
    page.setDefaultTimeout(60_000);
    await page.goto('/');
    await fill();
  });

  after(async () => {
    await page.context().close();
    await server.close();
    mock.timers.reset();
  });

  /** Makes what the demo book does not have. */
  async function fill(): Promise<void> {
    await send(page, 'POST /coffer/tokens', { body: { label: 'Phone app', expires_at: null } });
    const url = 'http://127.0.0.1:9/coffer';
    const webhooks = 'POST /coffer/webhooks';
    // Nothing here makes a rule: enabled again, it has nothing to send.
    const off = { url, description: 'Old shared sheet', records: ['rules' as const] };
    const { id } = await send(page, webhooks, { body: off });
    await send(page, 'PUT /coffer/webhooks/{id}', { path: { id }, body: { enabled: false } });
    await send(page, webhooks, { body: { url: `${url}/2`, description: null } });
    await send(page, 'POST /v2/tags', { body: { name: 'shared' } });
    // It is not tried again, because the clock does not move.
    await readUntil(page, 'GET /coffer/webhooks', {}, (response) =>
      response.webhooks.some(({ status }) => status === 'failing'),
    );
    await page.evaluate(async (body) => {
      const path = '/coffer/imports?file_name=october.csv&account=Savings';
      const headers = { 'content-type': 'text/csv', 'x-coffer-upload': '1' };
      await fetch(path, { method: 'POST', headers, body });
      await fetch('/coffer/imports/1/commit', {
        method: 'POST',
        headers: { 'x-coffer-upload': '1' },
      });
    }, 'Date,Payee,Amount\n2026-10-26,Café Müller,-4.20\n2026-10-27,Salary,2500.00\n');
  }

  /** Opens a path, unless the page already shows what it has. */
  async function restore(path: string, text: string): Promise<void> {
    await page.keyboard.press('Escape');
    await stillness(page);
    if ((await textOf(page)) === text) return;
    for (const next of ['/nowhere', path]) {
      await page.evaluate((to) => {
        history.pushState(null, '', to);
        dispatchEvent(new PopStateEvent('popstate'));
      }, next);
      await stillness(page);
    }
    if ((await textOf(page)) !== text) await page.goto(path);
    await stillness(page);
    await controlsOf(page);
  }

  /** Presses one control after another, and returns the lines that are new on the page after the last one. */
  async function press(base: string, ...selectors: readonly string[]): Promise<string[]> {
    const known = new Set(base.split('\n'));
    for (const selector of selectors) {
      const found = page.locator(selector).first();
      if ((await found.count()) === 0) return ['gone'];
      await found.dispatchEvent('click');
      await stillness(page);
    }
    const opened = page.locator('[role="dialog"], [role="menu"], [role="listbox"]').last();
    if ((await opened.count()) > 0) return linesIn(await opened.ariaSnapshot());
    const lines = await linesOf(page);
    return lines.filter((line) => !known.has(line));
  }

  for (const [name, path] of Object.entries(paths)) {
    test(`the screen ${name}`, async () => {
      await page.goto(path);
      const lines = [...(await linesOf(page)), await shapesOf(page)];
      approveLines(`screens/${name}`, lines.join('\n').split('\n'));
    });
  }

  for (const [name, path] of isLong ? Object.entries(paths) : []) {
    test(`what the controls of the screen ${name} open`, async () => {
      await page.goto(path);
      const base = (await linesOf(page)).join('\n');
      const text = await textOf(page);
      const lines: string[] = [];
      for (const control of await controlsOf(page)) {
        const selector = `[data-control="${control.slice(0, control.indexOf(' '))}"]`;
        const label = `press ${control.slice(control.indexOf(' ') + 1)}`;
        const opened = await press(base, selector);
        lines.push(label, ...opened, '');
        const items = opened.flatMap((line) => /- menuitem "(.*?)"/.exec(line)?.[1] ?? []);
        const isForm =
          opened.some((line) => line.includes('- dialog')) && submit.test(opened.join());
        for (const next of isForm ? ['[role="dialog"] [type="submit"]'] : items) {
          await restore(path, text);
          const second = isForm ? next : `[role="menuitem"]:has-text("${next}")`;
          lines.push(`${label}, ${next}`, ...(await press(base, selector, second)), '');
        }
        await restore(path, text);
      }
      approveLines(`pressed/${name}`, lines.join('\n').trimEnd().split('\n'));
    });
  }
});
