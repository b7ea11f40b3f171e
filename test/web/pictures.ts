/*
 * The pictures of docs/guide: every screen with the demo book, in light, in dark and on a phone, as WebP.
 *
 *   node test/web/pictures.ts [FOLDER] [NAME…]
 *
 * The clocks of the server and of the browser are at one moment, in the last month of the demo book, so that a picture
 * changes only when its screen does.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { desktop, launchBrowser, newWindow, phone, settled, skip } from './browser.ts';
import { addBook, startServer } from './served-book.ts';
import { fillShownBook } from './shown-book.ts';
import { shots } from './shots.ts';
import { fixClock } from './still-page.ts';

const root = join(import.meta.dirname, '../..');
const filled = new Date('2026-10-20T18:00:00Z');
const now = new Date('2026-10-28T09:30:00Z');
const looks = [
  { name: 'light', colorScheme: 'light', viewport: desktop },
  { name: 'dark', colorScheme: 'dark', viewport: desktop },
  { name: 'phone', colorScheme: 'light', viewport: phone },
] as const;
/** Text stays sharp, and a picture takes about 25 kB. */
const quality = 60;
const mostBytes = 80_000;

/** The visible part of a page as WebP, which playwright itself cannot write. */
async function pictureOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const format = { format: 'webp', quality } as const;
  const { data } = await session.send('Page.captureScreenshot', format);
  await session.detach();
  return Buffer.from(data, 'base64');
}

async function openPage(look: BrowserContextOptions, isSignedIn = true): Promise<Page> {
  const window = await newWindow(browser, book.origin, look);
  if (isSignedIn) await window.addCookies([{ ...(await book.signIn()), url: book.origin }]);
  return window.newPage();
}

async function take([shot, path, prepare]: (typeof shots)[number]): Promise<void> {
  for (const { name, ...look } of looks) {
    const page = await openPage(look, path !== '/sign-in');
    await page.addInitScript(fixClock, now.getTime());
    // The port of the receiver is another one each time.
    await page.route('**/coffer/webhooks', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll(port, '9480') });
    });
    await page.goto(path);
    await settled(page);
    await prepare?.(page, name === 'phone');
    await settled(page);
    const picture = await pictureOf(page);
    const size = `${shot}-${name} has ${picture.length} bytes`;
    if (picture.length > mostBytes) throw new Error(`${size}: at most ${mostBytes}`);
    writeFileSync(join(folder, `${shot}-${name}.webp`), picture);
    console.log(size);
    await page.context().close();
  }
}

if (skip !== false) throw new Error(skip);
const [folder = join(root, 'docs/images/web'), ...names] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
mock.timers.enable({ apis: ['Date'], now: filled });
const server = await startServer();
const book = await addBook(server, 12_000);
const browser = await launchBrowser();
const page = await openPage({});
await page.goto('/');
await settled(page);
const receiver = await fillShownBook(page, now);
const { port } = new URL(receiver.url);
await page.context().close();
try {
  for (const shot of shots) if (names.length === 0 || names.includes(shot[0])) await take(shot);
} finally {
  await browser.close();
  await receiver.close();
  await server.close();
}
