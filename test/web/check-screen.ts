import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { phone, settled, type Visit } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Where screenshots are kept; none without it. */
const folder = process.env['COFFER_SCREENSHOTS'] ?? '';
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

type Media = NonNullable<Parameters<Page['emulateMedia']>[0]>;

/** A way to look at a screen. */
interface Mode {
  readonly name: string;
  readonly media: Media;
  readonly isPhone?: true;
  /** The size of the text of the root; empty for the usual one. */
  readonly fontSize?: string;
  /** The system chooses the colours, so their contrast is not ours. */
  readonly hasOwnColours?: boolean;
}

const plain = {
  colorScheme: 'light',
  forcedColors: 'none',
  reducedMotion: 'no-preference',
} as const;
const modes: readonly Mode[] = [
  { name: 'light', media: plain },
  { name: 'dark', media: { ...plain, colorScheme: 'dark' } },
  { name: 'phone', media: plain, isPhone: true },
  { name: 'phone-dark', media: { ...plain, colorScheme: 'dark' }, isPhone: true },
  { name: 'large-text', media: plain, fontSize: '200%' },
  { name: 'forced-colours', media: { ...plain, forcedColors: 'active' }, hasOwnColours: false },
  { name: 'reduced-motion', media: { ...plain, reducedMotion: 'reduce' } },
];

/**
 * Looks at an open screen, with its dialogs as they are, in every mode: no violation of WCAG 2.2 A and AA that axe
 * finds, no sideways scroll; and after all of them no error in the console, no report of the policy, no request to
 * another origin. Screenshots go to the folder COFFER_SCREENSHOTS, as `NAME-MODE.png`. `only` names the modes of a
 * further look at a screen that was seen in all of them.
 */
export async function checkScreen(
  visit: Visit,
  name: string,
  only: readonly string[] = modes.map((mode) => mode.name),
): Promise<void> {
  const { page } = visit;
  const usual = page.viewportSize();
  for (const mode of modes.filter((each) => only.includes(each.name))) {
    await page.emulateMedia(mode.media);
    if (mode.isPhone === true) await page.setViewportSize(phone);
    await page.evaluate((size) => {
      document.documentElement.style.fontSize = size;
    }, mode.fontSize ?? '');
    await settled(page);
    await checkMode(page, `${name}-${mode.name}`, mode);
    if (mode.isPhone === true && usual !== null) await page.setViewportSize(usual);
  }
  await page.emulateMedia(plain);
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '';
  });
  assert.deepEqual(visit.errors, [], `${name}: the console`);
  assert.deepEqual(visit.foreign, [], `${name}: requests to another origin`);
}

async function checkMode(page: Page, name: string, mode: Mode): Promise<void> {
  await keepScreenshot(page, name);
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.ok(sideways <= 0, `${name}: ${sideways} pixels sideways`);
  assert.deepEqual(await violations(page, mode), [], name);
}

async function violations(page: Page, { hasOwnColours = true }: Mode): Promise<string[]> {
  const options: RunOptions = {
    runOnly: { type: 'tag', values: tags },
    ...(!hasOwnColours && { rules: { 'color-contrast': { enabled: false } } }),
  };
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  const results = await page.evaluate(
    (run) =>
      (globalThis as unknown as { axe: { run(run: RunOptions): Promise<AxeResults> } }).axe.run(
        run,
      ),
    options,
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}

/** Keeps a screenshot of the visible part, when a folder is given. */
async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (folder === '') return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
