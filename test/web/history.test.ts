import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Transaction } from '../../packages/web/src/books/types.ts';
import { said, send } from './acts.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

/** The newest two transactions that are no part of a split or a group. */
async function newestRows(page: Page): Promise<readonly [Transaction, Transaction]> {
  const query = { limit: 50 };
  const { transactions } = await send(page, 'GET /v2/transactions', { query });
  const plain = transactions.filter((each) => !each.is_split_parent && !each.is_group_parent);
  return [plain[0]!, plain[1]!];
}

webSuite('the screen of the history', 500, ({ open }) => {
  test('a change is listed, opened, undone by u in both places, and marked', async () => {
    const page = await open('/history');
    const [{ id, payee }] = await newestRows(page);
    const values = { payee: 'Bakery', notes: 'Birthday <b>cake</b>' };
    await send(page, 'PUT /v2/transactions/{id}', { path: { id }, body: values });
    await page.reload();
    const line = page.getByRole('link', { name: 'Changed 1 transaction' });
    await line.waitFor();
    await checkScreen(page, 'history');
    await line.click();
    await page.getByText('Birthday <b>cake</b>').waitFor();
    await page.locator('.changed-fields').getByText(payee).waitFor();
    await checkState(page, 'history-change');
    await said(page, 'Undone: Changed 1 transaction', 'u');
    await page.getByRole('link', { name: /^Undone by version/ }).waitFor();
    await page.getByRole('link', { name: 'All changes' }).click();
    await page.locator('.change.undone').waitFor();
    assert.equal((await newestRows(page))[0].payee, payee);
    await said(page, 'Undone: Redo', page.getByRole('button', { name: 'Redo' }));
    assert.equal((await newestRows(page))[0].payee, 'Bakery');
    await said(page, 'Undone: your last change', 'u');
    assert.equal((await newestRows(page))[0].payee, payee);
  });

  test('conflicts are explained record by record, and the rest is undone', async () => {
    const page = await open('/history', { expected: /409/ });
    const [one, two] = await newestRows(page);
    const transactions = [one, two].map(({ id }) => ({ id, notes: 'first' }));
    await send(page, 'PUT /v2/transactions', { body: { transactions } });
    const second = { path: { id: one.id }, body: { notes: 'second' } };
    await send(page, 'PUT /v2/transactions/{id}', second);
    await page.reload();
    const undo = page.getByRole('button', { name: /^Undo version/ }).nth(1);
    await undo.click();
    const dialog = page.getByRole('dialog', { name: 'Records were changed since' });
    await dialog.getByText('notes was changed since').waitFor();
    await checkState(page, 'history-conflicts');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await undo.click();
    await dialog.getByRole('button', { name: 'Keep these, undo the rest' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('1 record was kept as it is now').waitFor();
    const notes = (await newestRows(page)).map((row) => row.notes);
    assert.deepEqual(notes, ['second', two.notes]);
  });

  test('filters are in the address, and a filter without a hit offers all changes', async () => {
    const page = await open('/history');
    await page.getByLabel('Who').selectOption('command');
    await page.waitForURL(/[?&]actor=command/);
    await page.reload();
    await page.getByText(/^Filled the demo book/).waitFor();
    assert.equal(await page.locator('.change').count(), 1);
    await page.goto('/history?operation=nothing');
    await page.getByRole('heading', { name: 'No change fits these filters' }).waitFor();
    await page.getByRole('link', { name: 'Show all changes' }).click();
    await page.locator('.change').first().waitFor();
  });

  test('dates are typed in the format of the settings', async () => {
    const page = await open('/history');
    const from = page.getByRole('textbox', { name: 'From' });
    await from.fill('9/3/26');
    await page.keyboard.press('Tab');
    await page.waitForURL(/from=2026-03-09/);
    assert.equal(await from.inputValue(), '09/03/2026');
    await from.press('ArrowUp');
    await page.waitForURL(/from=2026-03-10/);
    await from.fill('31/2/2026');
    await page.keyboard.press('Tab');
    await page.getByText('Type a date as dd/mm/yyyy').waitFor();
    await checkState(page, 'history-dates');
    await page.evaluate(() => {
      localStorage.setItem('coffer.preferences', JSON.stringify({ locale: 'de-DE' }));
    });
    await page.goto('/history?from=2026-03-09');
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('input[placeholder]')?.value === '09.03.2026',
    );
  });

  test('long changes are paged, and the book is shown as it was', async () => {
    const page = await open('/history?actor=command', { isPhone: true });
    await page.getByText(/^Filled the demo book/).tap();
    const record = page.locator('.changed-record');
    await record.first().waitFor();
    const count = await record.count();
    await page.getByRole('button', { name: 'Show more records' }).tap();
    await record.nth(count).waitFor();
    await page.getByRole('link', { name: 'Book at this time' }).tap();
    await page.getByRole('table').waitFor();
    await checkState(page, 'history-earlier');
    await page.getByRole('button', { name: 'Older' }).tap();
    await page.getByRole('button', { name: 'Newer' }).waitFor();
  });

  test('a change that never was is said to be gone', async () => {
    const page = await open('/history/x1');
    await page.getByRole('heading', { name: 'There is no such change' }).waitFor();
    await checkState(page, 'history-gone');
  });
});
