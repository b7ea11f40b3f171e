import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { active, checkTouchSize, press, readUntil, said, send, typeCategory } from './acts.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite, type OpenOptions } from './suite.ts';
import type { QueryOf } from '../../packages/web/src/api/request.ts';
import type { Transaction } from '../../packages/web/src/books/types.ts';

/** Transactions, newest first. */
async function list(
  page: Page,
  query: QueryOf<'GET /coffer/transactions'>,
): Promise<readonly Transaction[]> {
  return (await send(page, 'GET /coffer/transactions', { query })).transactions;
}

const waiting = (page: Page): Promise<readonly Transaction[]> =>
  list(page, { status: 'unreviewed', limit: 1000 });

/** Sets the status of transactions, 500 in a request, and shows what waits then. */
async function setStatus(
  page: Page,
  rows: readonly Transaction[],
  status: 'reviewed' | 'unreviewed',
): Promise<void> {
  for (let at = 0; at < rows.length; at += 500) {
    const transactions = rows.slice(at, at + 500).map(({ id }) => ({ id, status }));
    await send(page, 'PUT /coffer/transactions', { body: { transactions } });
  }
  await page.reload();
  await page.locator('.row .name').first().waitFor();
}

async function left(page: Page, count: number): Promise<void> {
  const text = count === 1 ? '1 transaction to review' : `${count} transactions to review`;
  await page.getByRole('status').filter({ hasText: text }).waitFor();
}

webSuite('review', 3000, ({ open }) => {
  async function openReview(options: OpenOptions = {}) {
    const page = await open('/review', options);
    await page.locator('.row .name').first().waitFor();
    await page.locator('.review-bar').waitFor();
    return page;
  }

  test('as many are to be reviewed here as the overview and the list say', async () => {
    const page = await openReview();
    const { transactions } = await send(page, 'GET /coffer/transactions', {
      query: { status: 'unreviewed', limit: 1000 },
    });
    const count = transactions.length;
    const { total } = await send(page, 'GET /coffer/transactions', {
      query: { status: 'unreviewed', include_pending: true, limit: 1 },
    });
    assert.ok(total! > count, 'the book has pending ones, which do not count');
    await page
      .getByRole('status')
      .filter({ hasText: `${count} transactions to review` })
      .waitFor();
    await page.goto('/');
    const figure = page.locator('[data-figure="waiting"]');
    await figure.getByText(String(count), { exact: true }).waitFor();
    await figure.click();
    await page.locator('.hits', { hasText: `${count} transactions` }).waitFor();
  });

  test('e marks and moves on; c, letters, Enter, e gives another category first; u takes it back', async () => {
    const page = await openReview();
    await checkScreen(page, 'review');
    const before = await waiting(page);
    await page.keyboard.press('e');
    await left(page, before.length - 1);
    // Edits that are made within moments are one change.
    await said(page, 'Saved');
    await active(page, 'payee', before[1]!.payee);
    await typeCategory(page, 'res');
    await active(page, 'category', 'Restaurants');
    await page.keyboard.press('e');
    await left(page, before.length - 2);
    await said(page, 'Saved');
    await said(page, 'Undone', 'u');
    await left(page, before.length - 1);
    const ids = (rows: readonly Transaction[]): number[] => rows.map(({ id }) => id);
    assert.deepEqual(ids(await waiting(page)), ids(before.slice(1)));
  });

  test('y and Enter accept the suggested category', async () => {
    const page = await openReview();
    for (const key of ['y', 'Enter']) {
      const suggestion = page.locator('.suggestion');
      const row = page.locator('.row').filter({ has: suggestion }).first();
      const name = await row.locator('.suggestion bdi').innerText();
      const payee = await row.locator('.name').innerText();
      await row.locator('.name').click();
      await page.keyboard.press('Escape');
      await active(page, 'payee', payee);
      await page.keyboard.press(key);
      const category = page.locator('.row.active [data-field="category"]');
      await category.filter({ hasText: new RegExp(`^${name}$`) }).waitFor();
      await active(page, 'payee', payee);
    }
    await said(page, /[Ss]aved/);
  });

  test('Shift+A selects the same payee, whose number is shown before; c and e act on all', async () => {
    const page = await openReview();
    await setStatus(page, await list(page, { limit: 400 }), 'unreviewed');
    const rows = await waiting(page);
    const of = (payee: string, all = rows) => all.filter((row) => row.payee === payee);
    const place = rows.findIndex(({ payee }) => of(payee).length > 2);
    const { payee } = rows[place]!;
    const same = of(payee);
    for (let at = 0; at < place; at += 1) await page.keyboard.press('j');
    await page.getByRole('button', { name: `All ${same.length} of ${payee}` }).waitFor();
    await page.keyboard.press('Shift+A');
    await page.getByText(`${same.length} selected`).waitFor();
    await typeCategory(page, 'gif');
    await said(page, `${same.length} transactions saved`);
    await page.keyboard.press('e');
    await left(page, rows.length - same.length);
    await said(page, `${same.length} transactions saved`);
    await said(page, 'Undone', 'u');
    await left(page, rows.length);
    const again = of(payee, await waiting(page));
    assert.equal(again.length, same.length);
    assert.equal(new Set(again.map(({ category_id: id }) => id)).size, 1);
  });

  test('beyond the first page none is skipped, however fast they are marked', async () => {
    const page = await openReview({ expected: /status of 429/ });
    await setStatus(page, await list(page, { limit: 700 }), 'unreviewed');
    const before = await waiting(page);
    const one = { query: { status: 'unreviewed', limit: 1 } } as const;
    const all = (await send(page, 'GET /coffer/transactions', one)).total!;
    const count = 270;
    await page.evaluate(async (times) => {
      const frame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done));
      const grid = document.querySelector('[role="grid"]')!;
      for (let at = 0; at < times; at += 1) {
        while (document.querySelector('.row.active .name') === null) await frame();
        grid.dispatchEvent(new KeyboardEvent('keydown', { key: 'e', bubbles: true }));
        // The page works through what the key means.
        await Promise.resolve();
      }
    }, count);
    await left(page, before.length - count);
    await active(page, 'payee', before[count]!.payee);
    await readUntil(page, 'GET /coffer/transactions', one, ({ total }) => total === all - count);
    const ids = (rows: readonly Transaction[]): number[] => rows.map(({ id }) => id);
    assert.deepEqual(ids(await waiting(page)), ids(before.slice(count)));
    const rest = before.length - count;
    await press(page, 'Shift+G');
    // At the end of what was read, the rest is read.
    await page.locator(`[role="grid"][aria-rowcount="${rest}"]`).waitFor();
    await press(page, 'Shift+G');
    await page.locator(`.row.active[aria-rowindex="${rest}"] .name`).waitFor();
    await page.keyboard.press('g');
    await page.locator('.row.active[aria-rowindex="1"] .name').waitFor();
  });

  test('the active row stays when rows below it leave and come back', async () => {
    const page = await openReview();
    await setStatus(page, (await waiting(page)).slice(20), 'reviewed');
    const { length } = await waiting(page);
    await press(page, 'Shift+G', 'x', 'k', 'x', 'k', 'x', 'e');
    await left(page, length - 3);
    await said(page, '3 transactions saved');
    const row = page.locator(`.row.active[aria-rowindex="${length - 3}"]`);
    await row.waitFor();
    await said(page, 'Undone', 'u');
    await left(page, length);
    await page.locator(`.row[aria-rowindex="${length}"]`).waitFor();
    await row.waitFor();
  });

  test('by touch at 360 px: a tick marks a row, and the buttons do the rest', async () => {
    const page = await openReview({ isPhone: true });
    const { length } = await waiting(page);
    await left(page, length);
    await checkTouchSize(...(await page.locator('.review-bar .button').all()));
    const tick = await page.locator('.row .cell.status').nth(1).boundingBox();
    // The tick has room around it that belongs to it.
    await page.touchscreen.tap(tick!.x + tick!.width / 2, tick!.y - 8);
    await left(page, length - 1);
    // Edits that are sent together are taken back together, so the first one must be saved.
    await said(page, 'Saved');
    await page.locator('.row').nth(2).locator('.name').tap();
    await page.getByRole('button', { name: 'Category' }).tap();
    await page.getByRole('combobox').fill('gro');
    await page.getByRole('option', { name: /^Groceries/ }).tap();
    await active(page, 'category', 'Groceries');
    await page.getByRole('button', { name: 'Reviewed' }).tap();
    await left(page, length - 2);
    await said(page, 'Saved');
    await page.getByRole('button', { name: 'Undo' }).last().tap();
    await left(page, length - 1);
  });

  test('when all is reviewed, it says so and leads to the spending of the month', async () => {
    const page = await openReview();
    await setStatus(page, (await waiting(page)).slice(1), 'reviewed');
    await left(page, 1);
    await page.keyboard.press('e');
    await page.getByRole('heading', { name: 'All reviewed' }).waitFor();
    await checkState(page, 'review-done');
    await page.getByRole('link', { name: 'See the spending of this month' }).click();
    await page.waitForURL(/\/reports\/spending/);
  });
});
