import type { Page } from 'playwright-core';
import { dropFile } from './shown-book.ts';

/** A picture of a screen: its name, its address, and what is done before it is taken. */
export interface Shot {
  readonly name: string;
  readonly path: string;
  readonly isSignedIn?: boolean;
  readonly prepare?: (page: Page, isPhone: boolean) => Promise<void>;
}

const bankFile = `Date,Description,Amount
2026-10-23,Ninth Avenue Market,-64.18
2026-10-24,Tidewater Transit,-42.00
2026-10-25,Corner Grocer,-23.40
2026-10-26,Café Müller,-4.20
2026-10-26,City Library,-3.50
2026-10-27,Salary,2500.00
`;

async function drop(page: Page): Promise<void> {
  await dropFile(page, 'october.csv', bankFile);
  await page.getByRole('gridcell', { name: 'Corner Grocer' }).waitFor();
}

const shown =
  (selector: string) =>
  (page: Page): Promise<void> =>
    page.locator(selector).first().waitFor();

async function rows(page: Page): Promise<void> {
  await page.locator('.row .name').first().waitFor();
  await page.locator('[role="grid"]').focus();
}

const drawn = shown('main .chart svg');
const listed = shown('main li');

/** Every screen, and what opens on it, in the order of the guide. */
export const shots: readonly Shot[] = [
  { name: 'sign-in', path: '/sign-in', isSignedIn: false },
  {
    name: 'overview',
    path: '/',
    prepare: (page: Page): Promise<void> => page.locator('.overview .chart svg').nth(1).waitFor(),
  },
  { name: 'import', path: '/import', prepare: listed },
  { name: 'import-preview', path: '/import', prepare: drop },
  { name: 'review', path: '/review', prepare: rows },
  {
    name: 'transactions',
    path: '/transactions',
    prepare: async (page: Page, isPhone: boolean): Promise<void> => {
      await rows(page);
      if (!isPhone) await page.locator('.entry .facts').waitFor();
    },
  },
  { name: 'search', path: '/transactions?q=70..90+2026-03..05', prepare: rows },
  {
    name: 'category',
    path: '/transactions',
    prepare: async (page: Page): Promise<void> => {
      await rows(page);
      await page.keyboard.press('c');
      await page.getByRole('combobox', { name: 'Category' }).waitFor();
      await page.keyboard.type('gro');
    },
  },
  {
    name: 'selection',
    path: '/transactions',
    prepare: async (page: Page): Promise<void> => {
      await rows(page);
      await page.keyboard.press('Shift+A');
      await page.getByRole('toolbar').waitFor();
    },
  },
  {
    name: 'split',
    path: '/transactions?q=100..200',
    prepare: async (page: Page): Promise<void> => {
      await rows(page);
      await page.keyboard.press('s');
      await page.getByRole('dialog', { name: 'Split' }).waitFor();
      await page.keyboard.type('10');
    },
  },
  { name: 'report-spending', path: '/reports', prepare: drawn },
  { name: 'report-net-worth', path: '/reports/net-worth', prepare: drawn },
  { name: 'report-flow', path: '/reports/flow', prepare: drawn },
  { name: 'budget', path: '/budget', prepare: shown('main [role="grid"], main table') },
  { name: 'recurring', path: '/recurring', prepare: listed },
  {
    name: 'recurring-calendar',
    path: '/recurring/calendar/2026-10',
    prepare: shown('[role="grid"]'),
  },
  { name: 'history', path: '/history', prepare: listed },
  {
    name: 'history-change',
    path: '/history',
    prepare: async (page: Page): Promise<void> => {
      await page.getByRole('link', { name: 'Changed 1 transaction' }).nth(1).click();
      await page.locator('.changed-fields').waitFor();
    },
  },
  { name: 'accounts', path: '/accounts', prepare: listed },
  { name: 'categories', path: '/categories', prepare: listed },
  { name: 'tags', path: '/categories/tags', prepare: listed },
  { name: 'settings-formats', path: '/settings' },
  {
    name: 'settings-signing-in',
    path: '/settings/signing-in',
    prepare: async (page: Page): Promise<void> => {
      await listed(page);
      // Every picture before this one was a visit.
      const others = page.getByRole('button', { name: 'End all others' });
      if (!(await others.isVisible())) return;
      await others.click();
      await page.getByText('All other sessions have ended').waitFor();
      await page.reload();
      await listed(page);
    },
  },
  { name: 'settings-tokens', path: '/settings/tokens', prepare: listed },
  { name: 'settings-webhooks', path: '/settings/webhooks', prepare: listed },
  { name: 'settings-download', path: '/settings/download' },
  {
    name: 'keys',
    path: '/transactions',
    prepare: async (page: Page): Promise<void> => {
      await rows(page);
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    },
  },
  {
    name: 'palette',
    path: '/',
    prepare: async (page: Page): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
    },
  },
];
