import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, press, said } from './acts.ts';
import { checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

webSuite('editing in place', 300, ({ open }) => {
  test('one click on a cell edits it; the panel edits what the list does, and the account', async () => {
    const page = await open('/transactions');
    const cell = page.locator('.row [data-field="payee"]').first();
    await cell.click();
    await page.locator('.row.active [data-field="payee"] input:focus').waitFor();
    await press(page, 'Escape');
    const panel = page.getByRole('complementary', { name: 'Transaction' });
    await panel.getByTitle('Edit: Notes').click();
    await panel.locator('input:focus').waitFor();
    await enter(page, 'Shared with Ada');
    await said(page, 'Saved');
    await panel.getByRole('button', { name: 'Shared with Ada' }).waitFor();
    await panel.getByTitle('Edit: Account').click();
    await panel.locator('input:focus').waitFor();
    await enter(page, 'Everyday');
    await panel.getByTitle('Edit: Account').waitFor();
    await panel.getByTitle('Edit: Category').click();
    await panel.locator('input:focus').waitFor();
    await enter(page, 'Toy trains');
    await said(page, 'Toy trains is created');
    await panel.getByRole('button', { name: 'Toy trains' }).waitFor();
    await checkState(page, 'editing-in-place');
  });

  test('a phone edits each value of its page with the picker of the field', async () => {
    const page = await open('/transactions', { isPhone: true });
    await page.locator('.row .name').first().tap();
    const entry = page.getByRole('complementary', { name: 'Transaction' });
    await entry.getByTitle('Edit: Amount').tap();
    const field = entry.locator('input:focus');
    assert.equal(await field.getAttribute('inputmode'), 'decimal');
    await field.fill('20/4');
    await press(page, 'Enter');
    await said(page, 'Saved');
    await entry.getByTitle('Edit: Amount').filter({ hasText: '5.00' }).waitFor();
    await entry.getByTitle('Edit: Category').tap();
    await field.waitFor();
    await page.keyboard.type('groc');
    await entry.getByRole('option', { name: 'Groceries' }).tap();
    await entry.getByTitle('Edit: Category').filter({ hasText: 'Groceries' }).waitFor();
  });

  test('a long press selects on a phone, and the bar with what can be done appears', async () => {
    const page = await open('/transactions', { isPhone: true });
    const row = page.locator('.row .name').first();
    await row.waitFor();
    const touch = { pointerType: 'touch', clientX: 80, clientY: 200, bubbles: true };
    await row.dispatchEvent('pointerdown', touch);
    await page.getByRole('toolbar', { name: '1 selected' }).waitFor();
    await row.dispatchEvent('pointerup', touch);
    await row.dispatchEvent('click');
    assert.ok(page.url().endsWith('/transactions'));
    // A finger that moves scrolls.
    await row.dispatchEvent('pointerdown', touch);
    await row.dispatchEvent('pointermove', { ...touch, clientY: 260 });
    await row.dispatchEvent('pointerup', touch);
    await checkState(page, 'selected-by-touch');
  });
});
