import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, skip } from './browser.ts';
import { canBeMarked } from '../../packages/web/src/books/rows/inbox.ts';
import type { Belonging } from '../../packages/web/src/books/rows/inbox.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

interface Row extends Belonging {
  readonly id: number;
  readonly payee: string;
  readonly category_id: number | null;
}

/** Sends a request with the session of the page. */
function send<T>(page: Page, method: string, path: string, body?: unknown): Promise<T> {
  return page.evaluate(
    async ([sentMethod, url, sentBody]) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: sentMethod, headers, body: sentBody });
      return (await response.json()) as T;
    },
    [method, path, body === undefined ? null : JSON.stringify(body)] as const,
  );
}

/** Transactions that can be marked, newest first. */
async function list(page: Page, query: string): Promise<readonly Row[]> {
  const path = `/coffer/transactions?${query}`;
  const { transactions } = await send<{ transactions: Row[] }>(page, 'GET', path);
  return transactions.filter(canBeMarked);
}

/** What waits for review. */
function waiting(page: Page): Promise<readonly Row[]> {
  return list(page, 'status=unreviewed&limit=1000');
}

/** Sets the status of the newest transactions, 500 in a request. */
async function setStatus(page: Page, count: number, status: string): Promise<void> {
  const transactions = await list(page, `limit=${count}`);
  for (let at = 0; at < transactions.length; at += 500) {
    const some = transactions.slice(at, at + 500).map(({ id }) => ({ id, status }));
    await send(page, 'PUT', '/v2/transactions', { transactions: some });
  }
}

function left(page: Page, count: number) {
  const text = count === 1 ? '1 transaction to review' : `${count} transactions to review`;
  return page.getByRole('status').filter({ hasText: text }).waitFor();
}

function activePayee(page: Page): Promise<string> {
  return page.locator('.row.active .name').innerText();
}

function activeText(page: Page, field: string): Promise<string> {
  return page.locator(`.row.active [data-field="${field}"]`).innerText();
}

describe('review', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 3000 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });
  const open = async (options = {}) => {
    const visit = await openVisit(browser, served, '/review', options);
    await visit.page.locator('.row .name').first().waitFor();
    await visit.page.locator('.review-bar').waitFor();
    return visit;
  };

  test('in every mode', async () => {
    const visit = await open();
    await checkScreen(visit, 'review');
    await closeVisit(visit);
  });

  test('e marks and moves on; c, letters, Enter, e gives another category first; u takes it back', async () => {
    const visit = await open();
    const { page } = visit;
    const before = await waiting(page);
    await page.keyboard.press('e');
    await left(page, before.length - 1);
    // Edits that are made within moments are one change.
    await page.locator('.toast', { hasText: 'Saved' }).waitFor();
    assert.equal(await activePayee(page), before[1]!.payee);
    await page.keyboard.press('c');
    await page.keyboard.type('res');
    await page.keyboard.press('Enter');
    assert.equal(await activeText(page, 'category'), 'Restaurants');
    await page.keyboard.press('e');
    await left(page, before.length - 2);
    await page.locator('.toast', { hasText: 'Saved' }).nth(1).waitFor({ state: 'attached' });
    await page.keyboard.press('u');
    await page.locator('.toast', { hasText: 'Undone' }).waitFor();
    await left(page, before.length - 1);
    const now = await waiting(page);
    assert.deepEqual(
      now.map(({ id }) => id),
      before.slice(1).map(({ id }) => id),
    );
    assert.deepEqual(visit.errors, []);
    await closeVisit(visit);
  });

  test('y and Enter accept the suggested category', async () => {
    const visit = await open();
    const { page } = visit;
    for (const key of ['y', 'Enter']) {
      const row = page
        .locator('.row')
        .filter({ has: page.locator('.suggestion') })
        .first();
      const name = await row.locator('.suggestion bdi').innerText();
      await row.locator('.name').click();
      const payee = await activePayee(page);
      await page.keyboard.press(key);
      await page
        .locator('.row.active [data-field="category"]', { hasText: new RegExp(`^${name}$`) })
        .waitFor();
      assert.equal(await activePayee(page), payee);
    }
    await page.locator('.toast', { hasText: 'Saved' }).last().waitFor();
    assert.deepEqual(visit.errors, []);
    await closeVisit(visit);
  });

  test('Shift+A selects the same payee, whose number is shown before; c and e act on all', async () => {
    const visit = await open();
    const { page } = visit;
    await setStatus(page, 400, 'unreviewed');
    await page.reload();
    await page.locator('.row .name').first().waitFor();
    const rows = await waiting(page);
    const of = (payee: string, all = rows) => all.filter((row) => row.payee === payee);
    const place = rows.findIndex(({ payee }) => of(payee).length > 2);
    const { payee } = rows[place]!;
    const same = of(payee);
    for (let at = 0; at < place; at += 1) await page.keyboard.press('j');
    await page.getByRole('button', { name: `All ${same.length} of ${payee}` }).waitFor();
    await page.keyboard.press('Shift+A');
    await page.getByText(`${same.length} selected`).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('gif');
    await page.keyboard.press('Enter');
    await page.locator('.toast', { hasText: `${same.length} transactions saved` }).waitFor();
    await page.keyboard.press('e');
    await left(page, rows.length - same.length);
    await page.keyboard.press('u');
    await left(page, rows.length);
    const again = of(payee, await waiting(page));
    assert.equal(again.length, same.length);
    assert.equal(new Set(again.map(({ category_id: id }) => id)).size, 1);
    await closeVisit(visit);
  });

  test('beyond the first page none is skipped, however fast they are marked', async () => {
    const visit = await open();
    const { page } = visit;
    await setStatus(page, 700, 'unreviewed');
    await page.reload();
    await page.locator('.row .name').first().waitFor();
    const before = await waiting(page);
    const count = 270;
    for (let at = 0; at < count; at += 1) await page.keyboard.press('e');
    await left(page, before.length - count);
    assert.equal(await activePayee(page), before[count]!.payee);
    const wanted = before.slice(count).map(({ id }) => id);
    let now: number[];
    // What is not saved yet waits on the server too.
    do now = (await waiting(page)).map(({ id }) => id);
    while (now.length > wanted.length);
    assert.deepEqual(now, wanted);
    await page.keyboard.press('Shift+G');
    await page.keyboard.press('Shift+G');
    await page.locator('.row.active .name').waitFor();
    assert.deepEqual(visit.errors, []);
    await closeVisit(visit);
  });

  test('by touch at 360 px: a tick marks a row, and the buttons do the rest', async () => {
    const visit = await open({ viewport: phone, hasTouch: true });
    const { page } = visit;
    const before = await waiting(page);
    await left(page, before.length);
    for (const button of await page.locator('.review-bar .button').all()) {
      const box = await button.boundingBox();
      assert.ok(box !== null && box.height >= 44, `${await button.innerText()}: ${box?.height} px`);
    }
    const tick = await page.locator('.row .cell.status').nth(1).boundingBox();
    // The tick has room around it that belongs to it.
    await page.touchscreen.tap(tick!.x + tick!.width / 2, tick!.y - 8);
    await left(page, before.length - 1);
    // Edits that are sent together are taken back together, so the first one must be saved.
    while ((await waiting(page)).length > before.length - 1);
    await page.locator('.row').nth(2).locator('.name').tap();
    await page.getByRole('button', { name: 'Category' }).tap();
    await page.getByRole('combobox').fill('gro');
    await page.getByRole('option', { name: /^Groceries/ }).tap();
    assert.equal(await activeText(page, 'category'), 'Groceries');
    await page.getByRole('button', { name: 'Reviewed' }).tap();
    await left(page, before.length - 2);
    await page.getByRole('button', { name: 'Undo' }).first().tap();
    await left(page, before.length - 1);
    assert.deepEqual(visit.errors, []);
    await closeVisit(visit);
  });

  test('when all is reviewed, it says so and leads to the spending of the month', async () => {
    const visit = await open();
    const { page } = visit;
    await setStatus(page, 1000, 'reviewed');
    await page.reload();
    if ((await waiting(page)).length > 0) {
      const rest = (await waiting(page)).map(({ id }) => ({ id, status: 'reviewed' }));
      await send(page, 'PUT', '/v2/transactions', { transactions: rest.slice(1) });
      await page.reload();
      await left(page, 1);
      await page.keyboard.press('e');
    }
    await page.getByRole('heading', { name: 'All reviewed' }).waitFor();
    await checkState(visit, 'review-done');
    await page.getByRole('link', { name: 'See the spending of this month' }).click();
    await page.waitForURL(/\/reports\/spending/);
    await closeVisit(visit);
  });
});
