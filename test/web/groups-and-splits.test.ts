import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { checkTouchSize, enter, enterList, press, said } from './acts.ts';
import { checkState } from './check-screen.ts';
import { webSuite, type OpenOptions } from './suite.ts';

const names = (page: Page): Locator => page.locator('.row .name');
const members = (page: Page): Locator => page.locator('.row.member .name');

webSuite('groups and splits in the list', 300, ({ open }) => {
  /** The entry may still read what has just become a part, or is a group no more. */
  const expected = /404 .*\/v2\/transactions\/\d+$/;
  /** Shows a month of the demo book without groups and splits. */
  async function openMonth(options: OpenOptions = {}): Promise<Page> {
    const page = await open('/transactions?q=2026-09', { expected, ...options });
    await enterList(page);
    return page;
  }

  test('a group unfolds to its members by arrow keys, and is dissolved', async () => {
    const page = await openMonth();
    const grid = page.locator('[role="grid"]');
    const [first, second, third] = await names(page).allTextContents();
    await press(page, 'x', 'j', 'x');
    await page.getByRole('toolbar').getByRole('button', { name: 'Group' }).click();
    await page.getByRole('dialog', { name: 'Group' }).getByLabel('Payee').fill('Weekend');
    await checkState(page, 'transactions-group');
    const earlier = Number(await grid.getAttribute('aria-rowcount'));
    await said(page, /^Saved/, 'Enter');
    await names(page).filter({ hasText: 'Weekend' }).waitFor();
    await page.locator(`[role="grid"][aria-rowcount="${earlier - 1}"]`).waitFor();
    await press(page, 'g', 'ArrowRight');
    await members(page).nth(1).waitFor();
    assert.deepEqual((await members(page).allTextContents()).sort(), [first, second].sort());
    await page.locator(`[role="grid"][aria-rowcount="${earlier + 1}"]`).waitFor();
    await checkState(page, 'transactions-unfolded');
    // The keys go on to the next row of the list, which is below the members.
    await page.keyboard.press('j');
    await page.locator('.row.active[aria-rowindex="4"] .name', { hasText: third! }).waitFor();
    await press(page, 'k', 'ArrowLeft');
    await members(page).first().waitFor({ state: 'detached' });
    await said(page, /^Undone/, page.getByRole('button', { name: 'Ungroup' }));
    await names(page).filter({ hasText: 'Weekend' }).waitFor({ state: 'detached' });
    await page.locator(`[role="grid"][aria-rowcount="${earlier}"]`).waitFor();
    assert.deepEqual((await names(page).allTextContents()).slice(0, 3), [first, second, third]);
  });

  test('in two by keys alone; a part unfolds to the others, which open, and the split is taken back', async () => {
    const page = await openMonth();
    const whole = await page.locator('.row.active .amount').innerText();
    await page.keyboard.press('s');
    await page.getByRole('dialog', { name: 'Split' }).locator('input:focus').waitFor();
    await enter(page, '0.01', 'Tab');
    await page.keyboard.type('gro');
    await checkState(page, 'transactions-split');
    await said(page, /^Saved/, 'Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.row.active button.mark').click();
    await members(page).first().waitFor();
    assert.equal(await members(page).count(), 1);
    await members(page).first().click();
    await page.waitForURL(/\/transactions\/\d+\?/);
    await page.getByRole('heading', { name: 'Parts of the split' }).waitFor();
    await said(page, /^Undone/, page.getByRole('button', { name: 'Undo the split' }));
    await page.locator('.row .amount').first().getByText(whole, { exact: true }).waitFor();
    await members(page).first().waitFor({ state: 'detached' });
  });

  test('by touch on a phone a transaction is split, and its parts unfold', async () => {
    const page = await openMonth({ isPhone: true });
    await names(page).first().tap();
    await page.locator('.entry').getByRole('button', { name: 'Split' }).tap();
    await page.getByLabel('Amount 1').fill('0.01');
    await page.getByRole('dialog').getByRole('button', { name: 'Split' }).tap();
    await said(page, /^Saved/);
    await page.getByRole('button', { name: 'Back to the list' }).tap();
    const mark = page.locator('.row button.mark').first();
    await mark.scrollIntoViewIfNeeded();
    await checkTouchSize(mark);
    await mark.tap();
    await members(page).first().waitFor();
    assert.equal(new URL(page.url()).pathname, '/transactions');
    assert.equal(await mark.getAttribute('aria-expanded'), 'true');
    await checkState(page, 'transactions-unfolded-phone');
    await mark.tap();
    await members(page).first().waitFor({ state: 'detached' });
  });
});
