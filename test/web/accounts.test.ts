import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, settled, skip } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

describe('the accounts', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 1000 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });

  test('are grouped with balances, and a balance is changed and undone by keyboard', async () => {
    const visit = await openVisit(browser, served, '/accounts');
    const { page } = visit;
    await page.getByRole('heading', { name: 'Investments' }).waitFor();
    await checkScreen(visit, 'accounts');
    const balance = page.getByRole('button', { name: 'Change the balance of Cash Wallet' });
    const earlier = await balance.innerText();
    await balance.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('1234.5');
    await page.keyboard.press('Enter');
    await page.getByText('The balance of Cash Wallet is changed').waitFor();
    await balance.waitFor();
    assert.match(await balance.innerText(), /1,234\.50/);
    await page.keyboard.press('u');
    await page.getByText('The last change is taken back').waitFor();
    await page.getByText(earlier.split('\n')[0]!).first().waitFor();
    await closeVisit(visit);
  });

  test('are created, closed, merged and deleted, each with what it does said before', async () => {
    const options = { viewport: phone, hasTouch: true };
    const visit = await openVisit(browser, served, '/accounts', options);
    const { page } = visit;
    await page.getByRole('button', { name: 'Add an account' }).tap();
    await page.getByLabel('Name').fill('Piggy bank');
    await page.getByRole('textbox', { name: 'Balance' }).fill('12.5');
    await checkState(visit, 'account-form');
    await page.getByRole('button', { name: 'Save' }).tap();
    await page.getByText('Piggy bank is added').waitFor();
    const menu = page.getByRole('button', { name: 'Actions for Piggy bank' });
    await menu.tap();
    await page.getByRole('menuitem', { name: 'Merge into another' }).tap();
    await page.getByLabel('Into', { exact: true }).selectOption({ label: 'Cash Wallet' });
    await page.getByText('0 transactions move, and Piggy bank is deleted.').waitFor();
    await page.getByRole('button', { name: 'Merge' }).tap();
    await page.getByText('Merged: 0 transactions moved').waitFor();
    assert.equal(await menu.count(), 0);
    await page.getByRole('button', { name: 'Undo' }).tap();
    await menu.waitFor();
    await menu.tap();
    await page.getByRole('menuitem', { name: 'Delete' }).tap();
    await page.getByText('No transaction belongs to it.').waitFor();
    await page.getByRole('button', { name: 'Delete the account' }).tap();
    await page.getByText('Piggy bank is deleted').waitFor();
    await closeVisit(visit);
  });

  test('have a history of balances as a line and a table', async () => {
    const visit = await openVisit(browser, served, '/accounts');
    const { page } = visit;
    await page.getByRole('button', { name: 'Actions for Rainy Day Savings' }).click();
    await page.getByRole('menuitem', { name: 'Balance history' }).click();
    await page.getByRole('img', { name: 'Balance of Rainy Day Savings by month' }).waitFor();
    await page.getByText('All months as a table').click();
    await settled(page);
    assert.ok((await page.getByRole('row').count()) > 12);
    await checkState(visit, 'balance-history');
    await closeVisit(visit);
  });
});
