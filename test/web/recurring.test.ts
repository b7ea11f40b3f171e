import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, skip } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

const suggestion = 'Copperline Internet';

/** The list of items in a state. */
const list = (page: Page, state: string): Locator => page.locator(`.due-items.${state}`);
const said = (page: Page, text: string): Promise<void> =>
  page.locator('.toast').filter({ hasText: text }).waitFor();

describe('recurring items', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 1000 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });

  test('suggestions are accepted and dismissed by keyboard, and taken back', async () => {
    const visit = await openVisit(browser, served, '/recurring');
    const { page } = visit;
    await checkScreen(visit, 'recurring');
    await page.getByRole('button', { name: `Edit ${suggestion}` }).focus();
    await page.keyboard.press('d');
    await list(page, 'dismissed').getByText(suggestion).waitFor();
    await said(page, `${suggestion} is dismissed`);
    await page.keyboard.press('u');
    await list(page, 'suggested').getByText(suggestion).waitFor();
    await page.getByRole('button', { name: `Edit ${suggestion}` }).focus();
    await page.keyboard.press('a');
    await list(page, 'reviewed').getByText(suggestion).waitFor();
    await page.keyboard.press('u');
    await list(page, 'suggested').getByText(suggestion).waitFor();
    await closeVisit(visit);
  });

  test('an item is created from the last transaction of a payee, edited and deleted', async () => {
    const visit = await openVisit(browser, served, '/recurring');
    const { page } = visit;
    await page.getByRole('button', { name: 'New item' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New recurring item' });
    await dialog.getByRole('combobox', { name: 'Payee' }).focus();
    await page.keyboard.type('Lantern');
    await page.getByRole('option', { name: 'Lantern Video' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('dialog [inputmode="decimal"]')?.value !== '',
    );
    await checkState(visit, 'recurring-item');
    await dialog.getByLabel('Every').focus();
    await page.keyboard.type('3');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await said(page, 'is created');
    const created = list(page, 'reviewed').locator('li').filter({ hasText: 'Every 13 months' });
    await created.getByRole('button', { name: /^Edit Lantern/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await said(page, 'is deleted');
    await created.waitFor({ state: 'detached' });
    await closeVisit(visit);
  });

  test('what the server refuses stays in the dialog with all that was typed', async () => {
    const visit = await openVisit(browser, served, '/recurring');
    const { page } = visit;
    await page.getByRole('button', { name: 'Edit Keystone Home Loans' }).click();
    const dialog = page.getByRole('dialog');
    await page.route('**/coffer/recurring_items/*', (route) =>
      route.fulfill({ status: 409, json: { message: 'Conflict', errors: [{ errMsg: 'No' }] } }),
    );
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('2400');
    await page.keyboard.press('Enter');
    await dialog.getByText('It was not saved: No').waitFor();
    assert.equal(await dialog.getByRole('textbox', { name: 'Amount' }).inputValue(), '2400');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    assert.equal(focused, 'Keystone Home Loans');
    await closeVisit(visit);
  });

  test('the calendar shows what was found, and its days are reached by arrows', async () => {
    const visit = await openVisit(browser, served, '/recurring/calendar/2026-10');
    const { page } = visit;
    await checkState(visit, 'recurring-calendar');
    await page
      .getByRole('grid')
      .getByRole('button', { name: /^1 Oct 2026/ })
      .focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: 'On 2 Oct 2026' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.waitForURL('**/recurring/calendar/2026-09');
    await page.getByRole('heading', { name: 'On 25 Sept 2026' }).waitFor();
    await page.locator(':focus').getByText('25', { exact: true }).waitFor();
    await page.keyboard.press('PageDown');
    await page.waitForURL('**/recurring/calendar/2026-10');
    await closeVisit(visit);
  });

  test('by touch on a phone a suggestion is accepted, and a day is looked at', async () => {
    const visit = await openVisit(browser, served, '/recurring', {
      viewport: phone,
      hasTouch: true,
    });
    const { page } = visit;
    await page.getByRole('button', { name: `Accept ${suggestion}` }).tap();
    await list(page, 'reviewed').getByText(suggestion).waitFor();
    await page.getByRole('button', { name: 'Undo' }).tap();
    await list(page, 'suggested').getByText(suggestion).waitFor();
    await page.getByRole('link', { name: 'Calendar' }).tap();
    await page.getByRole('grid').getByRole('button', { name: /^6 / }).first().tap();
    await page.locator('.day-list').getByRole('button', { name: suggestion }).waitFor();
    assert.deepEqual(visit.errors, []);
    await closeVisit(visit);
  });
});
