import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { isLong } from '../../packages/core/src/testing/length.ts';
import { phone, settled } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const folder = process.env['COFFER_SCREENSHOTS'] ?? '';
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Mode {
  readonly name: string;
  readonly media: NonNullable<Parameters<Page['emulateMedia']>[0]>;
  readonly isPhone?: true;
  /** The size of the text of the root; empty for the usual one. */
  readonly fontSize?: string;
  /**
   * What axe looks at; everything by default. Of dark only the contrast is new; where the system chooses the colours,
   * contrast is not ours; and motion changes nothing that axe sees.
   */
  readonly rules?: 'contrast' | 'no-contrast' | 'none';
}

const plain = {
  colorScheme: 'light',
  forcedColors: 'none',
  reducedMotion: 'no-preference',
} as const;
const dark = { ...plain, colorScheme: 'dark' } as const;
const modes: readonly Mode[] = [
  { name: 'light', media: plain },
  { name: 'dark', media: dark, rules: 'contrast' },
  { name: 'phone', media: plain, isPhone: true },
  { name: 'phone-dark', media: dark, isPhone: true, rules: 'contrast' },
  { name: 'large-text', media: plain, fontSize: '200%' },
  { name: 'forced-colours', media: { ...plain, forcedColors: 'active' }, rules: 'no-contrast' },
  { name: 'reduced-motion', media: { ...plain, reducedMotion: 'reduce' }, rules: 'none' },
];

/** What the layout and the parts of a screen may break in. */
const usual = ['light', 'phone'];

/** Looks at a dialog or another state of a screen that `checkScreen` looked at; for screenshots in every mode. */
export function checkState(page: Page, name: string): Promise<void> {
  return check(page, name, folder === '' ? usual : null);
}

/**
 * Looks at an open screen, with its dialogs as they are: no violation of WCAG 2.2 A and AA that axe finds, no sideways
 * scroll. In the long run and for screenshots it does so in every mode, in the short one on a desk and on a phone.
 * Screenshots go to the folder COFFER_SCREENSHOTS, as `NAME-MODE.png`.
 */
export function checkScreen(page: Page, name: string): Promise<void> {
  return check(page, name, folder === '' && !isLong ? usual : null);
}

async function check(page: Page, name: string, only: readonly string[] | null): Promise<void> {
  const size = page.viewportSize();
  // On a phone, the modes of a desk look like those of a phone.
  const isPhone = size?.width === phone.width;
  const isSeen = (mode: Mode): boolean => only === null || only.includes(mode.name);
  const isNew = ({ name: mode }: Mode): boolean => !(isPhone && ['light', 'dark'].includes(mode));
  for (const mode of modes.filter((each) => isSeen(each) && isNew(each))) {
    await page.emulateMedia(mode.media);
    if (mode.isPhone === true) await page.setViewportSize(phone);
    await setFontSize(page, mode.fontSize ?? '');
    await settled(page);
    await checkMode(page, `${name}-${mode.name}`, mode);
    if (mode.isPhone === true && size !== null) await page.setViewportSize(size);
  }
  await page.emulateMedia({ ...plain, reducedMotion: 'reduce' });
  await setFontSize(page, '');
}

async function setFontSize(page: Page, size: string): Promise<void> {
  await page.evaluate((given) => {
    document.documentElement.style.fontSize = given;
  }, size);
}

async function checkMode(page: Page, name: string, mode: Mode): Promise<void> {
  if (folder !== '') await page.screenshot({ path: join(folder, `${name}.png`) });
  const sideways = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  assert.ok(sideways <= 0, `${name}: ${sideways} pixels sideways`);
  assert.deepEqual(await violations(page, mode), [], name);
}

async function violations(page: Page, { rules }: Mode): Promise<string[]> {
  if (rules === 'none') return [];
  const contrast = 'color-contrast';
  const options: RunOptions = {
    runOnly:
      rules === 'contrast' ? { type: 'rule', values: [contrast] } : { type: 'tag', values: tags },
    ...(rules === 'no-contrast' && { rules: { [contrast]: { enabled: false } } }),
    resultTypes: ['violations'],
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
