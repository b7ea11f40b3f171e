import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  checkToastsCoverNothing,
  choose,
  enter,
  enterList,
  press,
  said,
  send,
  typeCategory,
} from './acts.ts';
import { checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';
import { middleOf, pressLong } from './touch.ts';

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
    await said(page, 'Undone', 'u');
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
    await said(page, 'Undone', 'u');
    assert.equal((await changes(page))[0], 'undoLastChange');
  });

  test('all that match a filter get a date, an amount or an account, as one change each', async () => {
    const page = await openList('/transactions?q=2024-01..');
    const dialog = page.getByRole('dialog', { name: 'Change all that are selected' });
    const edits = [
      { key: 'd', text: '2024-05-06', field: { date: '2024-05-06' } },
      { key: 'm', text: '12.34', field: { amount: '12.3400' } },
    ] as const;
    const last = () =>
      send(page, 'GET /coffer/transactions', { query: { q: 'all at once', limit: 1000 } });
    await press(page, 'Control+a', 'n');
    await page.locator('.row.active input:focus').waitFor();
    await enter(page, 'all at once');
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await said(page, /transactions saved/);
    await dialog.waitFor({ state: 'detached' });
    for (const { key, text, field } of edits) {
      await press(page, 'Control+a', key);
      await page.locator('.row.active input:focus').waitFor();
      await press(page, 'Control+a');
      await enter(page, text);
      await dialog.getByText(/will change$/).waitFor();
      await dialog.getByRole('button', { name: 'Change', exact: true }).click();
      await said(page, /transactions saved/);
      await dialog.waitFor({ state: 'detached' });
      const { transactions } = await last();
      assert.ok(transactions.length > 500, String(transactions.length));
      for (const [name, value] of Object.entries(field))
        assert.ok(
          transactions.every((row) => row.is_group_parent || row[name as 'date'] === value),
          name,
        );
      assert.equal((await changes(page))[0], 'changeTransactionsInBulk');
      await said(page, 'Undone', 'u');
    }
  });

  test('the menu of a row opens where the pointer is, or by a key, and acts on the row or the selection', async () => {
    const page = await openList('/transactions?q=2024-02');
    const menu = page.getByRole('menu');
    const names = page.locator('.row .name');
    const { x: left, y: top } = (await names.nth(2).boundingBox())!;
    const [x, y] = [Math.round(left) + 5, Math.round(top) + 5];
    await page.mouse.click(x, y, { button: 'right' });
    await menu.getByRole('menuitem', { name: 'Make a rule' }).waitFor();
    const box = (await menu.boundingBox())!;
    assert.deepEqual([Math.round(box.x), Math.round(box.y)], [x, y + 4]);
    assert.equal(await page.locator('.row.active').getAttribute('data-place'), '2');
    await checkState(page, 'transactions-menu');
    await menu.getByRole('menuitem', { name: 'Category' }).click();
    await page.locator('.row.active input:focus').waitFor();
    await press(page, 'Escape', 'x', 'j', 'x');
    await names.nth(3).click({ button: 'right' });
    await menu.getByRole('menuitem', { name: 'Pair as transfer' }).waitFor();
    await press(page, 'Escape');
    await selected(page, '2 selected');
    await names.nth(0).click({ button: 'right' });
    await menu.getByRole('menuitem', { name: 'Split' }).waitFor();
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
    await press(page, 'Escape', 'j');
    for (const key of ['ContextMenu', 'Shift+F10']) {
      await press(page, key);
      await menu.getByRole('menuitem').first().waitFor();
      const row = (await page.locator('.row.active').boundingBox())!;
      assert.equal(Math.round((await menu.boundingBox())!.y), Math.round(row.y + row.height) + 4);
      await press(page, 'Escape');
      await menu.waitFor({ state: 'detached' });
    }
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('role')), 'grid');
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
    await said(page, 'It is split or grouped already', 'g', 's');
  });

  test('on a phone a long press begins a selection, and all that match are one tap further', async () => {
    const page = await openList('/transactions?q=2025-01..', { isPhone: true });
    const name = page.locator('.row').nth(1).locator('.name');
    await pressLong(page, await middleOf(name), page.getByRole('toolbar').getByText('1 selected'));
    await page.getByRole('toolbar').getByRole('button', { name: /^All / }).tap();
    await page
      .getByRole('toolbar')
      .getByText(/\d{3} selected/)
      .waitFor();
    await checkState(page, 'transactions-all-selected-phone');
  });
});
