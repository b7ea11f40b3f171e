import type { Page } from 'playwright-core';
import { enterList } from './acts.ts';
import { dropFile } from './shown-book.ts';

type Prepare = (page: Page, isPhone: boolean) => Promise<void>;

const bankFile = `Date,Description,Amount
2026-10-23,Ninth Avenue Market,-64.18
2026-10-24,Tidewater Transit,-42.00
2026-10-25,Corner Grocer,-23.40
2026-10-26,Café Müller,-4.20
2026-10-26,City Library,-3.50
2026-10-27,Salary,2500.00
`;

const shown =
  (selector: string, nth = 0): Prepare =>
  (page) =>
    page.locator(selector).nth(nth).waitFor();

/** Presses a key in the list, and types when something has opened. */
const typed =
  (key: string, opened: string, text = ''): Prepare =>
  async (page) => {
    await enterList(page);
    await page.keyboard.press(key);
    await page.locator(opened).first().waitFor();
    await page.keyboard.type(text);
  };

async function drop(page: Page): Promise<void> {
  await dropFile(page, 'october.csv', bankFile);
  await page.getByRole('gridcell', { name: 'Corner Grocer' }).waitFor();
}

async function listWithEntry(page: Page, isPhone: boolean): Promise<void> {
  await enterList(page);
  if (!isPhone) await page.locator('.entry .facts').waitFor();
}

async function openChange(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Changed 1 transaction' }).nth(1).click();
  await page.locator('.changed-fields').waitFor();
}

async function openAccount(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Credit Union Checking' }).click();
  await page.getByRole('heading', { name: 'Credit Union Checking', level: 1 }).waitFor();
  await page.locator('main tbody tr, main [role="row"]').nth(3).waitFor();
}

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
}

/** Every picture before this one was a visit. */
async function endOtherSessions(page: Page): Promise<void> {
  await listed(page, false);
  const others = page.getByRole('button', { name: 'End all others' });
  if (!(await others.isVisible())) return;
  await others.click();
  await page.getByText('All other sessions have ended').waitFor();
  await page.reload();
  await listed(page, false);
}

const drawn = shown('main .chart svg');
const listed = shown('main li');

/** Every screen, and what opens on it, in the order of the guide: name, address, and what is done before. */
export const shots: readonly (readonly [name: string, path: string, prepare?: Prepare])[] = [
  ['sign-in', '/sign-in'],
  ['overview', '/', shown('.overview .chart svg', 1)],
  ['import', '/import', listed],
  ['import-preview', '/import', drop],
  ['review', '/review', enterList],
  ['transactions', '/transactions', listWithEntry],
  ['new-transaction', '/transactions', typed('+', 'dialog form')],
  ['search', '/transactions?q=70..90+2026-03..05', enterList],
  ['category', '/transactions', typed('c', '[role="combobox"]:focus', 'gro')],
  ['selection', '/transactions', typed('Shift+A', '[role="toolbar"]')],
  ['split', '/transactions?q=100..200', typed('s', 'dialog', '10')],
  ['report-spending', '/reports', drawn],
  ['report-net-worth', '/reports/net-worth', drawn],
  ['report-flow', '/reports/flow', drawn],
  ['budget', '/budget', shown('main [role="grid"], main table')],
  ['recurring', '/recurring', listed],
  ['recurring-calendar', '/recurring/calendar/2026-10', shown('[role="grid"]')],
  ['history', '/history', listed],
  ['history-change', '/history', openChange],
  ['accounts', '/accounts', listed],
  ['account', '/accounts', openAccount],
  ['categories', '/categories', listed],
  ['tags', '/categories/tags', listed],
  ['rules', '/rules', listed],
  ['settings-formats', '/settings'],
  ['settings-book', '/settings/book'],
  ['settings-signing-in', '/settings/signing-in', endOtherSessions],
  ['settings-tokens', '/settings/tokens', listed],
  ['settings-webhooks', '/settings/webhooks', listed],
  ['settings-download', '/settings/download'],
  ['keys', '/transactions', typed('?', 'dialog')],
  ['palette', '/', openPalette],
];
