import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { enter, press, said, send } from './acts.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

const budgetOf = (page: Page, name: string): Locator =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name, exact: true }) })
    .locator('.budgeted');
const title = (page: Page, period: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name: `Budget: ${period}` }).waitFor();
/** The text of the option of a category in the dialog that moves money, which has what is left of it. */
const optionOf = async (page: Page, name: string): Promise<string> => {
  const texts = await page.getByLabel('From').locator('option').allInnerTexts();
  return texts.find((text) => text.startsWith(`${name} (`))!;
};
const saved = 'The budget of Groceries is saved';
const undone = 'The last change is taken back';

webSuite('the budget', 1000, ({ open }) => {
  test('cells are edited by keyboard as in a sheet, and every change is taken back by u', async () => {
    const page = await open('/budget/2026-10');
    await checkScreen(page, 'budget');
    await budgetOf(page, 'Groceries').getByRole('button').focus();
    await enter(page, '812.5');
    await said(page, saved);
    await budgetOf(page, 'Groceries').getByText('812.50').waitFor();
    // The focus is one line further, where Escape drops what was typed.
    await enter(page, '7x');
    await page.getByText('"7x" is not an amount').waitFor();
    await page.keyboard.press('Escape');
    await budgetOf(page, 'Restaurants').getByText('450.00').waitFor();
    await press(page, 'ArrowUp', 'p');
    await page.locator(':focus').getByText('900.00').waitFor();
    await said(page, saved);
    await said(page, undone, 'u');
    await page.locator(':focus').getByText('812.50').waitFor();
    await said(page, undone, 'u');
    await page.locator(':focus').getByText('900.00').waitFor();
    await page.keyboard.press('PageUp');
    await page.waitForURL('/budget/2026-09');
    await title(page, 'September 2026');
  });

  test('what is to come has what items without a category expect', async () => {
    const page = await open('/budget/2026-11');
    const query = { start_date: '2026-11-01', end_date: '2026-11-30', include_totals: true };
    const { totals } = await send(page, 'GET /v2/summary', { query });
    const remaining = totals!.outflow.recurring_remaining;
    assert.ok(remaining > 1000, `${remaining}`);
    const figure = page.locator('.budget-figure', { hasText: 'Recurring to come' });
    const shown = (await figure.locator('.figure-amount').innerText()).replaceAll(/[^\d.]/g, '');
    assert.equal(Number(shown), remaining);
    const row = page.getByRole('row').filter({ hasText: 'Without a category' });
    assert.match(await row.locator('.recurring').innerText(), /[1-9]/);
    await figure.getByRole('link').click();
    await page.waitForURL('/recurring');
  });

  test('a category carries over what is left, and money moves to another one; both are taken back', async () => {
    const page = await open('/budget/2026-10');
    const actions = page.getByRole('button', { name: 'Actions of this period' });
    const act = async (name: string): Promise<void> => {
      await actions.click();
      await page.getByRole('menuitem', { name }).click();
    };
    const leftOf = (name: string): Locator =>
      page
        .getByRole('row')
        .filter({ has: page.getByRole('rowheader', { name, exact: true }) })
        .locator('.left');
    const query = { start_date: '2026-10-01' };
    await budgetOf(page, 'Groceries').getByRole('button').focus();
    await act('Groceries: Carry over what is left');
    await said(page, 'Groceries carries over what is left');
    await leftOf('Groceries').getByText('carried over').waitFor();
    const { categories } = await send(page, 'GET /coffer/budget_rollover', { query });
    assert.equal(categories.length, 1);
    const carried = Number(categories[0]!.carried);
    const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
    const text = Math.abs(carried).toLocaleString('en-GB', digits);
    await leftOf('Groceries').getByText(text).waitFor();
    await checkState(page, 'budget-carried');
    await act('Move money to another budget');
    await page.getByLabel('From').selectOption({ label: await optionOf(page, 'Restaurants') });
    await page
      .getByLabel('To', { exact: true })
      .selectOption({ label: await optionOf(page, 'Coffee Shops') });
    await page.getByRole('textbox', { name: 'Amount' }).fill('25');
    await checkState(page, 'budget-move');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await said(page, 'Money is moved from Restaurants to Coffee Shops');
    await budgetOf(page, 'Restaurants').getByText('425.00').waitFor();
    await budgetOf(page, 'Coffee Shops').getByText('100.00').waitFor();
    await said(page, undone, 'u');
    await budgetOf(page, 'Restaurants').getByText('450.00').waitFor();
    await page.keyboard.press('u');
    await leftOf('Groceries').getByText('carried over').waitFor({ state: 'detached' });
  });

  test('ten categories are on the screen of a phone', async () => {
    const page = await open('/budget/2026-10', { isPhone: true });
    const lines = page.locator('.budget-line:not(.total)');
    await lines.nth(10).waitFor();
    const boxes = await lines.evaluateAll((all) =>
      all.slice(0, 10).map((each) => each.getBoundingClientRect().toJSON() as DOMRect),
    );
    const height = boxes.at(-1)!.bottom - boxes[0]!.top;
    assert.ok(height <= 740 - 160, `ten lines have ${height} pixels`);
    assert.ok(boxes.every((box) => box.height >= 44));
  });

  test('what the server refuses is taken back in sight, and can be edited again as it was typed', async () => {
    const page = await open('/budget/2026-10', { expected: /400/ });
    await budgetOf(page, 'Groceries').getByRole('button').focus();
    await enter(page, '99999999999999999', 'Tab');
    await page.getByText('is not an amount').waitFor();
    await page.keyboard.press('Escape');
    const message = { message: 'Invalid', errors: [{ errMsg: 'Body property amount is odd' }] };
    await page.route('**/v2/budgets', (route) => route.fulfill({ status: 400, json: message }));
    await enter(page, '7.25', 'Tab');
    await said(page, 'The budget of Groceries was not saved: Body property amount is odd');
    await budgetOf(page, 'Groceries').getByText('900.00').waitFor();
    await page.unroute('**/v2/budgets');
    await page.getByRole('button', { name: 'Edit again' }).click();
    const again = page.getByRole('textbox', { name: 'Budget of Groceries' });
    assert.equal(await again.inputValue(), '7.25');
    await said(page, saved, 'Enter');
    await said(page, undone, 'u');
  });

  test('on a phone a cell is edited by touch, and empty budgets are filled in and taken back at once', async () => {
    const page = await open('/budget/2026-11', { isPhone: true });
    await page.getByRole('button', { name: 'Fill empty budgets from the last period' }).tap();
    await said(page, 'budgets are filled in');
    await budgetOf(page, 'Groceries').getByRole('button').tap();
    await checkState(page, 'budget-edit');
    await page.getByRole('button', { name: 'Average of what was spent' }).tap();
    await said(page, saved);
    await page.getByRole('button', { name: 'Undo' }).last().tap();
    await said(page, undone);
    await page.getByRole('button', { name: 'Actions of this period' }).tap();
    await page.getByRole('menuitem', { name: 'Undo' }).tap();
    await page
      .getByRole('heading', { name: 'Nothing is budgeted for November 2026 yet' })
      .waitFor();
  });

  test('other periods are shown with their dates, and their settings can be changed', async () => {
    const page = await open('/budget/2026-10');
    await page.getByRole('button', { name: 'Actions of this period' }).click();
    await page.getByRole('menuitem', { name: 'Periods and income' }).click();
    await page.getByRole('dialog', { name: 'Periods and income' }).waitFor();
    await checkState(page, 'budget-settings');
    await page.getByLabel('A period has').fill('2');
    await page.getByLabel('Unit').selectOption('week');
    await page.getByRole('textbox', { name: 'A day on which a period starts' }).fill('5/10/2026');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await title(page, '5 Oct – 18 Oct 2026');
    await page.getByRole('button', { name: 'Later period' }).click();
    await page.waitForURL('/budget/2026-10-19');
    await said(page, undone, 'u');
    await title(page, 'October 2026');
  });
});
