import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  checkToastsCoverNothing,
  choose,
  enterList,
  press,
  said,
  send,
  typeCategory,
} from './acts.ts';
import { checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

const changes = async (page: Page): Promise<readonly string[]> =>
  (await send(page, 'GET /coffer/history', { query: { limit: 5 } })).history.map(
    ({ operation }) => operation,
  );

const selected = (page: Page, text: string): Promise<void> =>
  page.getByRole('toolbar').getByText(text).waitFor();

webSuite('selections', 3000, ({ open }) => {
  async function openList(path = '/transactions', options = {}): Promise<Page> {
    const page = await open(path, options);
    await enterList(page);
    return page;
  }

  test('a click with Shift selects all between, also what is not loaded, and they change as one', async () => {
    const page = await openList();
    await press(page, 'x');
    await page
      .locator('.row')
      .nth(4)
      .locator('.name')
      .click({ modifiers: ['Shift'] });
    await selected(page, '5 selected');
    assert.equal(await page.locator('.row.selected').count(), 5);
    await press(page, 'Escape');
    /** Scrolls to a row that a page of 500 rows has. */
    const rowAt = async (place: number) => {
      await page.locator('[role="grid"]').evaluate((grid, at) => {
        grid.scrollTop = (at - 5) * 36;
      }, place);
      return page.locator(`[data-place="${place}"] .name`);
    };
    await (await rowAt(425)).click({ modifiers: ['Control'] });
    await selected(page, '1 selected');
    await (await rowAt(805)).click({ modifiers: ['Shift'] });
    await selected(page, '381 selected');
    const before = await changes(page);
    await typeCategory(page, 'gif');
    await said(page, '381 transactions saved');
    assert.deepEqual(await changes(page), ['editTransactions', ...before].slice(0, 5));
    await press(page, 'u');
    await said(page, 'Undone');
  });

  for (const isPhone of [false, true])
    test(`messages cover nothing ${isPhone ? 'on a phone' : 'at a desk'}`, async () => {
      const page = await openList('/transactions', { isPhone });
      await press(page, 'G');
      const count = await page.locator('[role="grid"]').getAttribute('aria-rowcount');
      await page.locator(`.row.active[data-place="${Number(count) - 1}"] .name`).waitFor();
      await press(page, 'e');
      await page.locator('.toast').first().waitFor();
      await checkToastsCoverNothing(page);
      await press(page, 'x');
      await page.getByRole('toolbar').waitFor();
      await checkToastsCoverNothing(page);
      await page.goto('/categories');
      const archive = page.getByRole('button', { name: /^Actions for/ }).last();
      await archive.focus();
      const foot = await page.evaluate(() => innerHeight);
      await choose(archive, 'Archive');
      await said(page, 'is archived');
      await page.getByRole('button', { name: /^Show \d+ archived$/ }).scrollIntoViewIfNeeded();
      await page.mouse.wheel(0, 10_000);
      await checkToastsCoverNothing(page);
      const end = await page.locator('main > :last-child').boundingBox();
      const message = await page.locator('.toast').first().boundingBox();
      assert.ok(end !== null && message !== null && message.y + message.height <= foot);
      assert.ok(end.y + end.height <= message.y, `${end.y + end.height} ${message.y}`);
    });

  test('all that match a filter, with their number and sum: previewed, one change, undone', async () => {
    const page = await openList('/transactions?q=2025-01..');
    const total = Number(await page.locator('[role="grid"]').getAttribute('aria-rowcount'));
    assert.ok(total > 500, String(total));
    await press(page, 'Control+a');
    await selected(page, `${total.toLocaleString('en')} selected`);
    const sum = await page.locator('.hits .money').innerText();
    assert.ok(sum !== '');
    await checkState(page, 'transactions-all-selected');
    await typeCategory(page, 'gif');
    const dialog = page.getByRole('dialog', { name: 'Change all that are selected' });
    await dialog.getByText(/will change$/).waitFor();
    await dialog.getByText('Gifts').waitFor();
    await checkState(page, 'transactions-bulk');
    const before = await changes(page);
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await said(page, /transactions saved/);
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(await changes(page), ['changeTransactionsInBulk', ...before].slice(0, 5));
    const { transactions } = await send(page, 'GET /coffer/transactions', {
      query: { start_date: '2025-01-01', limit: 1000, include_pending: true },
    });
    const others = transactions.filter(({ recurring_id: id }) => id === null);
    // A recurring item decides what its transactions show.
    assert.equal(new Set(others.map(({ category_id: id }) => id)).size, 1);
    await press(page, 'u');
    await said(page, 'Undone');
    assert.equal((await changes(page))[0], 'undoLastChange');
  });

  test('what is split or grouped is not deleted with the others, and that is said', async () => {
    const page = await openList('/transactions?q=2026-09');
    const { transactions } = await send(page, 'POST /v2/transactions', {
      body: { transactions: [{ date: '2026-09-30', amount: '6' }] },
    });
    await send(page, 'POST /v2/transactions/split/{id}', {
      path: { id: transactions[0]!.id },
      body: { child_transactions: [{ amount: '3' }, { amount: '3' }] },
    });
    await page.reload();
    await enterList(page);
    await press(page, 'x', 'j', 'j', 'Shift+X');
    await selected(page, '3 selected');
    await typeCategory(page, 'gif');
    await said(page, '3 transactions saved');
    await press(page, 'Delete');
    await said(
      page,
      'Transaction deleted · 2 belong to splits or groups, and are not deleted alone',
    );
    await press(page, 'g', 's');
    await said(page, 'It is split or grouped already');
  });

  test('on a phone a long press begins a selection, and all that match are one tap further', async () => {
    const page = await openList('/transactions?q=2025-01..', { isPhone: true });
    await page.locator('.row').nth(1).locator('.name').dispatchEvent('pointerdown', {
      pointerType: 'touch',
      clientX: 100,
      clientY: 200,
    });
    await selected(page, '1 selected');
    await page.getByRole('toolbar').getByRole('button', { name: /^All / }).tap();
    await page
      .getByRole('toolbar')
      .getByText(/\d{3} selected/)
      .waitFor();
    await checkState(page, 'transactions-all-selected-phone');
  });
});
