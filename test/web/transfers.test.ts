import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { enter, press, readUntil, said, send } from './acts.ts';
import { checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

webSuite('transfers', 300, ({ open }) => {
  const count = (page: Page, wanted: number) =>
    readUntil(page, 'GET /coffer/transfers', { query: { limit: 500 } }, ({ transfers }) => {
      return transfers.length === wanted;
    });

  test('one is added with both transactions, shown with both accounts, broken and paired by keys', async () => {
    const page = await open('/transactions');
    await page.locator('.row .name').first().waitFor();
    await press(page, '+');
    const dialog = page.getByRole('dialog', { name: 'New transaction' });
    await dialog.waitFor();
    await page.locator('input:focus[inputmode="decimal"]').waitFor();
    await enter(page, '812.40', 'Tab');
    await dialog.getByRole('radio', { name: 'Transfer' }).check();
    const choose = (label: string, account: string) =>
      dialog.getByLabel(label, { exact: true }).selectOption({ label: account });
    await choose('From', 'Credit Union Checking');
    await choose('To', 'Rainy Day Savings');
    await checkState(page, 'new-transfer');
    await said(page, 'Added a transfer', page.getByRole('button', { name: 'Save', exact: true }));
    await dialog.waitFor({ state: 'detached' });
    await count(page, 1);
    await page.getByRole('gridcell', { name: /Checking to Rainy Day/ }).waitFor();
    await page.getByRole('gridcell', { name: /Savings from Credit Union/ }).waitFor();
    await page.getByRole('grid').focus();
    await press(page, 'g');
    await page.getByRole('button', { name: 'Break the transfer' }).waitFor();
    await checkState(page, 'transfer');
    await said(page, 'No longer a transfer', 'b');
    await count(page, 0);
    await page.locator('.cell.account .transfer').first().waitFor({ state: 'detached' });
    for (const key of ['g', 'x', 'j', 'x', 'w']) await press(page, key);
    await said(page, 'Paired as a transfer');
    await count(page, 1);
  });

  test('what may be one is suggested in Review, and paired by a key', async () => {
    const page = await open('/transactions');
    const { manual_accounts: accounts } = await send(page, 'GET /v2/manual_accounts', {});
    const [from, to] = accounts.filter(({ currency }) => currency === 'usd').map(({ id }) => id);
    const transactions = [
      { date: '2026-11-26', amount: '77.7', payee: 'Order', manual_account_id: from! },
      { date: '2026-11-26', amount: '-77.7', payee: 'Deposit', manual_account_id: to! },
    ];
    await send(page, 'POST /v2/transactions', { body: { transactions } });
    await page.goto(new URL('/review', page.url()).href);
    await page.getByRole('button', { name: /^Transfer (to|from) .*\?/ }).waitFor();
    await page.getByRole('grid').focus();
    await said(page, 'Paired as a transfer', 'w');
    await page.locator('.cell.account .transfer').first().waitFor();
  });
});
