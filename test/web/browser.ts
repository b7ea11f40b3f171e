import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { findChromium } from '../../packages/core/src/testing/starts.ts';
import { findWebBundle } from '../../packages/server/src/http/web-pages.ts';

const executablePath = findChromium();

/** Why tests of the bundle cannot run; false when they can. */
export const skipBundle = 'problem' in findWebBundle() && 'missing: the bundle of the browser UI';

/** Why tests with a browser cannot run; false when they can. */
export const skip = executablePath !== null ? skipBundle : 'missing: chromium';

export function launchBrowser(): Promise<Browser> {
  const quiet = ['--disable-gpu', '--disable-background-networking', '--no-first-run'];
  return chromium.launch({
    executablePath: executablePath!,
    args: ['--no-sandbox', '--lang=en-GB', ...quiet],
  });
}

export const phone = { width: 360, height: 740 };
export const desktop = { width: 1280, height: 800 };

/** Opens a window whose addresses begin with `baseURL`. */
export function newWindow(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const usual = {
    viewport: desktop,
    locale: 'en-GB',
    colorScheme: 'light',
    reducedMotion: 'reduce',
    // It would send requests that a test cannot see.
    serviceWorkers: 'block',
  } as const;
  return browser.newContext({ ...usual, baseURL, ...options });
}

/** Waits until nothing is loading and nothing moves. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('#root > *') !== null &&
      document.querySelector('.loading, [aria-busy="true"]') === null &&
      document.getAnimations().every(({ playState }) => playState !== 'running'),
    null,
    // Not at each frame, for which the page would have to be painted.
    { polling: 20 },
  );
}
