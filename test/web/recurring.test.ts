import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { enter, press, said } from './acts.ts';
import { settled } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

const suggestion = 'Copperline Internet';

const item = (page: Page, state: string): Locator =>
  page.locator(`.due-items.${state}`).getByText(suggestion);

webSuite('recurring items', 1000, ({ open }) => {
  test('suggestions are accepted and dismissed by keyboard, and taken back', async () => {
    const page = await open('/recurring');
    await checkScreen(page, 'recurring');
    const edit = page.getByRole('button', { name: `Edit ${suggestion}` });
    await edit.focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('.item-name:focus').filter({ hasNotText: suggestion }).waitFor();
    await press(page, 'ArrowUp', 'Control+d');
    await page.locator('.item-name:focus').filter({ hasText: suggestion }).waitFor();
    await page.keyboard.press('d');
    await item(page, 'dismissed').waitFor();
    await said(page, `${suggestion} is dismissed`);
    await page.keyboard.press('u');
    await item(page, 'suggested').waitFor();
    await edit.focus();
    await page.keyboard.press('a');
    await item(page, 'reviewed').waitFor();
    await said(page, `${suggestion} is accepted`);
    await page.keyboard.press('u');
    await item(page, 'suggested').waitFor();
    // Elsewhere this letter adds a transaction.
    await settled(page);
    assert.equal(await page.getByText('New transaction').count(), 0);
  });

  test('an item is created from the last transaction of a payee, edited and deleted', async () => {
    const page = await open('/recurring');
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
    await checkState(page, 'recurring-item');
    await dialog.getByLabel('Every').focus();
    await enter(page, '3');
    await dialog.waitFor({ state: 'detached' });
    await said(page, 'is created');
    const created = page
      .locator('.due-items.reviewed li')
      .filter({ hasText: 'Every 13 months' })
      .getByRole('button', { name: /^Edit Lantern/ });
    await created.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await said(page, 'is deleted');
    await created.waitFor({ state: 'detached' });
  });

  test('the calendar shows what was found, and its days are reached by arrows', async () => {
    const page = await open('/recurring/calendar/2026-10');
    await checkState(page, 'recurring-calendar');
    const days = page.getByRole('grid');
    await days.getByRole('button', { name: /^1 Oct 2026/ }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: 'On 2 Oct 2026' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await page.waitForURL('/recurring/calendar/2026-09');
    await page.getByRole('heading', { name: 'On 25 Sept 2026' }).waitFor();
    await page.locator(':focus').getByText('25', { exact: true }).waitFor();
    await page.keyboard.press('PageDown');
    await page.waitForURL('/recurring/calendar/2026-10');
  });

  test('by touch on a phone a suggestion is accepted, and a day is looked at', async () => {
    const page = await open('/recurring', { isPhone: true });
    await page.getByRole('button', { name: `Accept ${suggestion}` }).tap();
    await item(page, 'reviewed').waitFor();
    await page.getByRole('button', { name: 'Undo' }).tap();
    await item(page, 'suggested').waitFor();
    await page.getByRole('link', { name: 'Calendar' }).tap();
    await page.getByRole('grid').getByRole('button', { name: /^6 / }).first().tap();
    await page.locator('.day-list').getByRole('button', { name: suggestion }).waitFor();
  });
});
