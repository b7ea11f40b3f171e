import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { enter, press, readUntil, said } from './acts.ts';
import { checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

webSuite('a new transaction', 300, ({ open }) => {
  const newest = async (page: Page, payee: string, isExpected: (row: Row) => boolean) =>
    readUntil(page, 'GET /coffer/transactions', { query: { payee, limit: 1 } }, (found) => {
      const [row] = found.transactions;
      return row !== undefined && isExpected(row);
    });

  test('is added by keys, with an amount that is calculated and a category that is created', async () => {
    const page = await open('/transactions');
    await page.locator('.row .name').first().waitFor();
    await press(page, '+');
    await page.getByRole('dialog', { name: 'New transaction' }).waitFor();
    await page.locator('input:focus[inputmode="decimal"]').waitFor();
    await enter(page, '12.40+3', 'Tab');
    await press(page, 'Tab');
    await enter(page, 'Harbour Kiosk', 'Tab');
    await page.keyboard.type('Ferry tickets');
    await page.getByRole('option', { name: 'Create “Ferry tickets”' }).waitFor();
    await checkState(page, 'new-transaction');
    await said(page, 'Ferry tickets is created', 'Enter');
    await chosen(page, 'Ferry tickets');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await said(page, 'Added: Harbour Kiosk');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await newest(
      page,
      'Harbour Kiosk',
      (row) => row.amount === '15.4000' && row.category_id !== null,
    );
    await page.getByRole('gridcell', { name: 'Harbour Kiosk' }).waitFor();
  });

  test('takes category and account from the last one of the payee; another one follows', async () => {
    const page = await open('/');
    await press(page, 'a');
    await page.locator('input:focus[inputmode="decimal"]').waitFor();
    await enter(page, '7', 'Tab');
    await press(page, 'Tab');
    await page.keyboard.type('Harbour K');
    // Enter sends the form when nothing is offered.
    await page.getByRole('option', { name: 'Harbour Kiosk Ferry tickets', exact: true }).waitFor();
    await press(page, 'Enter');
    await chosen(page, 'Ferry tickets');
    await page.getByRole('button', { name: 'Save and add another' }).click();
    await said(page, 'Added: Harbour Kiosk');
    await page.locator('input:focus[inputmode="decimal"][value=""]').waitFor();
    await enter(page, '8');
    await said(page, 'Added: No payee');
    await newest(page, 'Harbour Kiosk', (row) => row.amount === '7.0000');
  });

  test('a text that is no amount is said, and nothing is sent', async () => {
    const page = await open('/');
    await press(page, '+');
    await page.getByRole('dialog').waitFor();
    const amount = page.getByRole('textbox', { name: /^Amount/ });
    assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true);
    await amount.fill('12+');
    await page.getByText('"12+" is not an amount').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true);
    await press(page, 'Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('a cash purchase on a phone takes at most eight taps', async () => {
    const page = await open('/', { isPhone: true });
    let taps = 0;
    const tap = async (name: string, role: 'button' | 'option' | 'combobox' = 'button') => {
      taps += 1;
      await page.getByRole(role, { name, exact: true }).first().tap();
    };
    await tap('Add');
    await page.locator('input:focus[inputmode="decimal"]').waitFor();
    await page.keyboard.type('3.20');
    await tap('Payee', 'combobox');
    await page.keyboard.type('Harbour');
    await tap('Harbour Kiosk Ferry tickets', 'option');
    await chosen(page, 'Ferry tickets');
    await checkState(page, 'new-transaction-filled');
    await tap('Save');
    await said(page, 'Added: Harbour Kiosk');
    assert.ok(taps <= 8, `${taps} taps`);
    await newest(page, 'Harbour Kiosk', (row) => row.amount === '3.2000');
  });
});

/** Waits until the form has a category. */
async function chosen(page: Page, category: string): Promise<void> {
  await page.locator(`form input[aria-label="Category"][value="${category}"]`).waitFor();
}

interface Row {
  readonly amount: string;
  readonly category_id: number | null;
}
