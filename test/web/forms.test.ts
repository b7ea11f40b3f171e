import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, press, said } from './acts.ts';
import { checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

webSuite('forms', 300, ({ open }) => {
  test('what is refused is said next to its field, which gets the focus until it changes', async () => {
    const page = await open('/categories', { expected: /400/ });
    await page.getByRole('button', { name: 'Add a category' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    assert.equal(await name.getAttribute('maxlength'), '100');
    await page.getByLabel('Note').focus();
    await page.keyboard.type('Taken');
    await name.fill('Groceries');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.field .problem').getByText('already exists').waitFor();
    await page.locator('input[aria-invalid]:focus').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.ok((await name.getAttribute('aria-describedby'))!.endsWith('-problem'));
    await checkState(page, 'form-problem');
    await enter(page, ' at home');
    await said(page, 'Groceries at home is added');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('what was typed is not discarded without a confirmation', async () => {
    const page = await open('/accounts');
    const add = page.getByRole('button', { name: 'Add an account' });
    await add.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.locator('dialog input:focus').waitFor();
    await page.keyboard.type('Piggy bank');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Discard what you typed?' }).waitFor();
    await checkState(page, 'form-discard');
    await press(page, 'Escape', 'Escape');
    // What was typed is not lost by one Enter.
    await page.locator('dialog .actions button:focus', { hasText: 'Cancel' }).waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await page.getByLabel('Name').inputValue(), 'Piggy bank');
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('button:focus', { hasText: 'Add an account' }).waitFor();
  });

  test('a form with an amount that is none is not sent', async () => {
    const page = await open('/accounts');
    await page.getByRole('button', { name: 'Add an account' }).click();
    await page.getByLabel('Name').fill('Piggy bank');
    const balance = page.getByRole('textbox', { name: 'Balance' });
    await balance.fill('12x');
    await page.getByText('"12x" is not an amount').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('input:focus[inputmode="decimal"]').waitFor();
    await balance.fill('12.5');
    await said(page, 'Piggy bank is added', 'Enter');
  });
});
