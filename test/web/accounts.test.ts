import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, enter, said } from './acts.ts';
import { settled } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

webSuite('the accounts', 300, ({ open }) => {
  test('are grouped with balances, and a balance is changed and undone by keyboard', async () => {
    const page = await open('/accounts');
    await page.getByRole('heading', { name: 'Investments' }).waitFor();
    await checkScreen(page, 'accounts');
    const closed = page.getByRole('button', { name: 'Show 1 closed account' });
    const menus = page.getByRole('button', { name: /^Actions for/ });
    const before = await menus.count();
    await closed.click();
    await closed.waitFor({ state: 'detached' });
    assert.equal(await menus.count(), before + 1);
    const balance = page.getByRole('button', { name: 'Change the balance of Cash Wallet' });
    const earlier = await balance.innerText();
    await balance.focus();
    await page.keyboard.press('Enter');
    await enter(page, '1234.5');
    await said(page, 'The balance of Cash Wallet is changed');
    await balance.getByText('1,234.50').waitFor();
    await said(page, 'The last change is taken back', 'u');
    await balance.getByText(earlier.split('\n')[0]!).waitFor();
  });

  test('have a page with the balance after each transaction, and what is wrong', async () => {
    const page = await open('/accounts');
    await page.getByRole('link', { name: 'Cash Wallet' }).click();
    await page.getByRole('heading', { level: 1, name: 'Cash Wallet' }).waitFor();
    const rows = page.getByRole('region', { name: /^Transactions of Cash Wallet/ });
    await rows.waitFor();
    await page.getByText('No balance of your bank is known yet').waitFor();
    await checkScreen(page, 'account');
    const know = async (day: string, balance: string): Promise<void> => {
      await page.getByRole('button', { name: /^(Say what it had|Compare with)/ }).click();
      await page.getByRole('textbox', { name: 'Day' }).fill(day);
      await page.getByRole('textbox', { name: 'Balance' }).fill(balance);
      await page.getByRole('button', { name: 'Save' }).click();
      await said(page, 'The balance of Cash Wallet is noted');
    };
    await know('2024-01-31', '10');
    await know('2024-02-29', '99999');
    await page.getByText('The balance is wrong on').waitFor();
    await checkScreen(page, 'account-wrong');
    await page.getByRole('link', { name: 'Show these days' }).first().click();
    await page.waitForURL(/\/transactions\?.*2024-01-31/);
    await page.goBack();
    await page.getByRole('button', { name: /^Forget the balance of .*29/ }).click();
    await said(page, 'The balance is forgotten');
    await said(page, 'The last change is taken back', 'u');
  });

  test('have a date on one line, and no word in pieces, in the register of a phone', async () => {
    const page = await open('/accounts', { isPhone: true });
    await page.getByRole('link', { name: 'Cash Wallet' }).click();
    const row = page
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader') })
      .first();
    await row.waitFor();
    const [date, payee] = await row.locator('td:first-child, th').evaluateAll((cells) =>
      cells.map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        const lines = new Set([...range.getClientRects()].map(({ top }) => top)).size;
        return { lines, words: cell.textContent.trim().split(/\s+/).length };
      }),
    );
    assert.equal(date!.lines, 1);
    assert.ok(payee!.lines <= payee!.words, `${payee!.lines} lines of ${payee!.words} words`);
  });

  test('take a file of the bank, which says whether its balance matches', async () => {
    const page = await open('/accounts');
    await page.getByRole('link', { name: 'Cash Wallet' }).click();
    await page.getByRole('button', { name: 'Import into this account' }).waitFor();
    const buffer = Buffer.from('Date,Payee,Amount,Balance\n2026-10-05,Butcher,-7.00,93.00\n');
    const file = { name: 'wallet.csv', mimeType: 'text/csv', buffer };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText(/^Balance on .*2026/).waitFor();
    await page.getByRole('button', { name: 'Change the account Cash Wallet' }).waitFor();
  });

  test('are created, closed, merged and deleted, each with what it does said before', async () => {
    const page = await open('/accounts', { isPhone: true });
    await page.getByRole('button', { name: 'Add an account' }).tap();
    await page.getByLabel('Name').fill('Piggy bank');
    await page.getByRole('textbox', { name: 'Balance' }).fill('12.5');
    const label = await page.locator('label', { hasText: /^Type$/ }).boundingBox();
    assert.ok(label!.width > 10, 'the label of a choice is shown');
    await checkState(page, 'account-form');
    await page.getByRole('button', { name: 'Save' }).tap();
    await said(page, 'Piggy bank is added');
    const menu = page.getByRole('button', { name: 'Actions for Piggy bank' });
    await menu.tap();
    await page.getByRole('menuitem', { name: 'Close' }).tap();
    await said(page, 'Piggy bank is closed');
    await page.getByRole('button', { name: 'Undo' }).tap();
    await said(page, 'The last change is taken back');
    await menu.tap();
    await page.getByRole('menuitem', { name: 'Merge into another' }).tap();
    await page.getByLabel('Into', { exact: true }).selectOption({ label: 'Cash Wallet' });
    await page.getByText('0 transactions move, and Piggy bank is deleted.').waitFor();
    await page.getByRole('button', { name: 'Merge' }).tap();
    await said(page, 'Merged: 0 transactions moved');
    await menu.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).tap();
    await menu.tap();
    await page.getByRole('menuitem', { name: 'Delete' }).tap();
    await page.getByText('No transaction belongs to it.').waitFor();
    await page.getByRole('button', { name: 'Delete the account' }).tap();
    await said(page, 'Piggy bank is deleted');
  });

  test('have a history of balances as a line and a table', async () => {
    const page = await open('/accounts');
    await choose(
      page.getByRole('button', { name: 'Actions for Rainy Day Savings' }),
      'Balance history',
    );
    await page.getByRole('img', { name: 'Balance of Rainy Day Savings by month' }).waitFor();
    await page.getByText('All months as a table').click();
    await page.getByRole('row').nth(12).waitFor();
    await settled(page);
    await checkState(page, 'balance-history');
  });
});
