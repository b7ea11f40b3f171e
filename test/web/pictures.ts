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
import type { Browser, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, settled, skip } from './browser.ts';
import { serveBook, type ServedBook } from './served-book.ts';
import { fillShownBook } from './shown-book.ts';
import { shots, type Shot } from './shots.ts';

const root = join(import.meta.dirname, '../..');
const filled = new Date('2026-10-20T18:00:00Z');
const now = new Date('2026-10-28T09:30:00Z');
const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
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

/** Stops the clock of a page, while its timers run. */
function fixClock(atMs: number): void {
  const Clock = Date;
  globalThis.Date = class extends Clock {
    constructor(...given: readonly unknown[]) {
      if (given.length === 0) super(atMs);
      else super(...(given as [number]));
    }
    static override now(): number {
      return atMs;
    }
  } as typeof Date;
}

async function take(browser: Browser, served: ServedBook, shot: Shot, to: string): Promise<void> {
  for (const look of looks) {
    const { name, ...options } = look;
    const isSignedIn = shot.isSignedIn ?? true;
    const visit = await openVisit(browser, served, '/', { ...options, isSignedIn });
    const { page } = visit;
    await page.addInitScript(fixClock, now.getTime());
    await page.goto(served.origin + shot.path);
    await settled(page);
    await shot.prepare?.(page, name === 'phone');
    await settled(page);
    const picture = await pictureOf(page);
    if (picture.length > mostBytes)
      throw new Error(`${shot.name}-${name} has ${picture.length} bytes: at most ${mostBytes}`);
    writeFileSync(join(to, `${shot.name}-${name}.webp`), picture);
    console.log(`${shot.name}-${name}  ${picture.length}`);
    await closeVisit(visit);
  }
}

if (skip !== false) throw new Error(skip);
const [folder = join(root, 'docs/images/web'), ...names] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
mock.timers.enable({ apis: ['Date'], now: filled });
const served = await serveBook({
  environment: { ENCRYPTION_KEY: 'b'.repeat(64), WEBHOOK_PRIVATE_TARGETS: '127.0.0.0/8,::1' },
});
const browser = await launchBrowser();
const visit = await openVisit(browser, served, '/');
const shown = await fillShownBook(visit.page, now);
await closeVisit(visit);
try {
  for (const shot of shots)
    if (names.length === 0 || names.includes(shot.name)) await take(browser, served, shot, folder);
} finally {
  await browser.close();
  await shown.close();
  await served.close();
}
