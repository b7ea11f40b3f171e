import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, skip } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

const groceries = 'Groceries';

/** The line of a category. */
const line = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
const budgetOf = (page: Page, name: string) => line(page, name).locator('.budgeted');
const said = (page: Page, text: string) =>
  page.locator('.toast').filter({ hasText: text }).waitFor();

describe('the budget', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 1000 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });

  test('cells are edited by keyboard as in a sheet, and every change is taken back by u', async () => {
    const visit = await openVisit(browser, served, '/budget/2026-10');
    const { page } = visit;
    await checkScreen(visit, 'budget');
    await budgetOf(page, groceries).getByRole('button').focus();
    await page.keyboard.type('812.5');
    await page.keyboard.press('Enter');
    await said(page, 'The budget of Groceries is saved');
    await budgetOf(page, groceries).getByText('812.50').waitFor();
    // The focus is one line further, where Escape drops what was typed.
    await page.keyboard.type('7x');
    await page.keyboard.press('Enter');
    await page.getByText('"7x" is not an amount').waitFor();
    await page.keyboard.press('Escape');
    await budgetOf(page, 'Restaurants').getByText('450.00').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('p');
    await page.locator(':focus').getByText('900.00').waitFor();
    await said(page, 'The budget of Groceries is saved');
    await page.keyboard.press('u');
    await said(page, 'The last change is taken back');
    await page.locator(':focus').getByText('812.50').waitFor();
    await page.keyboard.press('u');
    await page.locator(':focus').getByText('900.00').waitFor();
    await page.keyboard.press('PageUp');
    await page.getByRole('heading', { level: 1, name: 'Budget: September 2026' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/budget/2026-09');
    await closeVisit(visit);
  });

  test('what the server refuses is taken back in sight, and can be edited again as it was typed', async () => {
    const visit = await openVisit(browser, served, '/budget/2026-10');
    const { page } = visit;
    await budgetOf(page, groceries).getByRole('button').focus();
    await page.keyboard.type('99999999999999999');
    await page.keyboard.press('Tab');
    await page.getByText('is not an amount').waitFor();
    await page.keyboard.press('Escape');
    const message = { message: 'Invalid', errors: [{ errMsg: 'Body property amount is odd' }] };
    await page.route('**/v2/budgets', (route) => route.fulfill({ status: 400, json: message }));
    await page.keyboard.type('7.25');
    await page.keyboard.press('Tab');
    await said(page, 'The budget of Groceries was not saved: Body property amount is odd');
    await budgetOf(page, groceries).getByText('900.00').waitFor();
    await page.unroute('**/v2/budgets');
    await page.getByRole('button', { name: 'Edit again' }).click();
    assert.equal(
      await page.getByRole('textbox', { name: 'Budget of Groceries' }).inputValue(),
      '7.25',
    );
    await page.keyboard.press('Enter');
    await said(page, 'The budget of Groceries is saved');
    await page.keyboard.press('u');
    await said(page, 'The last change is taken back');
    await closeVisit(visit);
  });

  test('on a phone a cell is edited by touch, and empty budgets are filled in and taken back at once', async () => {
    const options = { viewport: phone, hasTouch: true };
    const visit = await openVisit(browser, served, '/budget/2026-11', options);
    const { page } = visit;
    await page.getByRole('button', { name: 'Fill empty budgets from the last period' }).tap();
    await said(page, 'budgets are filled in');
    await budgetOf(page, groceries).getByRole('button').tap();
    await checkState(visit, 'budget-edit');
    await page.getByRole('button', { name: 'Average of what was spent' }).tap();
    await said(page, 'The budget of Groceries is saved');
    await page.getByRole('button', { name: 'Undo' }).tap();
    await said(page, 'The last change is taken back');
    await page.getByRole('button', { name: 'Actions of this period' }).tap();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).tap();
    await page
      .getByRole('heading', { name: 'Nothing is budgeted for November 2026 yet' })
      .waitFor();
    await closeVisit(visit);
  });

  test('other periods are shown with their dates, and their settings can be changed', async () => {
    const visit = await openVisit(browser, served, '/budget/2026-10');
    const { page } = visit;
    await page.getByRole('button', { name: 'Actions of this period' }).click();
    await page.getByRole('button', { name: 'Periods and income' }).click();
    await page.getByRole('dialog', { name: 'Periods and income' }).waitFor();
    await checkState(visit, 'budget-settings');
    await page.getByLabel('A period has').fill('2');
    await page.getByLabel('Unit').selectOption('week');
    const anchor = page.getByRole('textbox', { name: 'A day on which a period starts' });
    await anchor.fill('5/10/2026');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Budget: 5 Oct – 18 Oct 2026' }).waitFor();
    await page.getByRole('button', { name: 'Later period' }).click();
    await page.waitForURL('**/budget/2026-10-19');
    await page.keyboard.press('u');
    await said(page, 'The last change is taken back');
    await page.getByRole('heading', { level: 1, name: 'Budget: October 2026' }).waitFor();
    await closeVisit(visit);
  });
});
