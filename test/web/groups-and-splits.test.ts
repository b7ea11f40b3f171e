import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, skip, type Visit } from './browser.ts';
import { checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

const payees = (page: Page): Promise<string[]> => page.locator('.row .name').allTextContents();
const members = (page: Page) => page.locator('.row.member .name');
const said = (page: Page, text: RegExp): Promise<void> =>
  page.locator('.toast').filter({ hasText: text }).last().waitFor();

describe('groups and splits in the list', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 300 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });
  const open = async (options = {}): Promise<Visit> => {
    // A month of the demo book without groups and splits.
    const visit = await openVisit(browser, served, '/transactions?q=2026-09', options);
    await visit.page.locator('.row .name').first().waitFor();
    await visit.page.locator('[role="grid"]').focus();
    return visit;
  };

  test('a group unfolds to its members by arrow keys, and is dissolved', async () => {
    const visit = await open();
    const { page } = visit;
    const [first, second, third] = await payees(page);
    for (const key of ['x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByRole('toolbar').getByRole('button', { name: 'Group' }).click();
    const dialog = page.getByRole('dialog', { name: 'Group' });
    await dialog.getByLabel('Payee').fill('Weekend');
    await checkState(visit, 'transactions-group');
    await page.keyboard.press('Enter');
    await said(page, /^Saved/);
    await page.locator('.row .name').filter({ hasText: 'Weekend' }).waitFor();
    await page.keyboard.press('g');
    const count = Number(await page.locator('[role="grid"]').getAttribute('aria-rowcount'));
    await page.keyboard.press('ArrowRight');
    await members(page).nth(1).waitFor();
    assert.deepEqual((await members(page).allTextContents()).sort(), [first, second].sort());
    assert.equal(
      await page.locator('[role="grid"]').getAttribute('aria-rowcount'),
      String(count + 2),
    );
    await checkState(visit, 'transactions-unfolded');
    // The keys go on to the next row of the list, which is below the members.
    await page.keyboard.press('j');
    assert.equal(await page.locator('.row.active .name').textContent(), third);
    assert.equal(await page.locator('.row.active').getAttribute('aria-rowindex'), '4');
    await page.keyboard.press('k');
    await page.keyboard.press('ArrowLeft');
    await members(page).first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Ungroup' }).click();
    await said(page, /^Undone/);
    await page.locator('.row .name').filter({ hasText: 'Weekend' }).waitFor({ state: 'detached' });
    assert.deepEqual((await payees(page)).slice(0, 3), [first, second, third]);
    await closeVisit(visit);
  });

  test('a part unfolds to the others, which open, and the split is taken back', async () => {
    const visit = await open();
    const { page } = visit;
    const whole = await page.locator('.row.active .amount').innerText();
    await page.keyboard.press('s');
    await page.getByRole('dialog', { name: 'Split' }).waitFor();
    await page.keyboard.type('0.01');
    await page.getByRole('dialog').getByRole('button', { name: 'Split' }).click();
    await said(page, /^Saved/);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.row.active button.mark').waitFor();
    await page.locator('.row.active button.mark').click();
    await members(page).first().waitFor();
    assert.equal(await members(page).count(), 1);
    await members(page).first().click();
    await page.waitForURL(/\/transactions\/\d+\?/);
    await page.getByRole('heading', { name: 'Parts of the split' }).waitFor();
    await page.getByRole('button', { name: 'Undo the split' }).click();
    await said(page, /^Undone/);
    await page.waitForFunction(
      (text) => document.querySelector<HTMLElement>('.row .amount')?.innerText === text,
      whole,
    );
    assert.equal(await members(page).count(), 0);
    await closeVisit(visit);
  });

  test('by touch on a phone a transaction is split, and its parts unfold', async () => {
    const visit = await open({ viewport: phone, hasTouch: true, isMobile: true });
    const { page } = visit;
    await page.locator('.row .name').first().tap();
    await page.locator('.entry').getByRole('button', { name: 'Split' }).tap();
    await page.getByLabel('Amount 1').fill('0.01');
    await page.getByRole('dialog').getByRole('button', { name: 'Split' }).tap();
    await said(page, /^Saved/);
    await page.getByRole('button', { name: 'Back to the list' }).tap();
    const mark = page.locator('.row button.mark').first();
    await mark.scrollIntoViewIfNeeded();
    const box = await mark.boundingBox();
    assert.ok(box!.width >= 44 && box!.height >= 44, JSON.stringify(box));
    await mark.tap();
    await members(page).first().waitFor();
    assert.equal(new URL(page.url()).pathname, '/transactions');
    assert.equal(await mark.getAttribute('aria-expanded'), 'true');
    await checkState(visit, 'transactions-unfolded-phone');
    await mark.tap();
    await members(page).first().waitFor({ state: 'detached' });
    await closeVisit(visit);
  });
});
