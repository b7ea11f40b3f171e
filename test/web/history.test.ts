import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, skip } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

/** Sends a request as the page does, and returns what it gets. */
async function send<T>(page: Page, method: string, path: string, body: object): Promise<T> {
  const text = await page.evaluate(
    async ([verb, target, json]) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(target, { method: verb, headers, body: json });
      return response.text();
    },
    [method, path, JSON.stringify(body)] as const,
  );
  return (text === '' ? null : JSON.parse(text)) as T;
}

interface Row {
  readonly id: number;
  readonly payee: string;
  readonly notes: string | null;
}

/** Transactions that are no part of a split or a group. */
async function someRows(page: Page): Promise<readonly Row[]> {
  const { transactions } = await page.evaluate(
    async () =>
      (await (await fetch('/v2/transactions?limit=50')).json()) as {
        transactions: (Row & { is_split_parent: boolean; is_group_parent: boolean })[];
      },
  );
  return transactions.filter((each) => !each.is_split_parent && !each.is_group_parent);
}

async function someRow(page: Page): Promise<Row> {
  return (await someRows(page))[0]!;
}

const put = (page: Page, id: number, values: object): Promise<Row> =>
  send(page, 'PUT', `/v2/transactions/${id}`, values);

describe('the screen of the history', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 500 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });

  test('a change is listed, opened, undone by u, and marked', async () => {
    const visit = await openVisit(browser, served, '/history');
    const { page } = visit;
    const { id, payee } = await someRow(page);
    await put(page, id, { payee: 'Bakery', notes: 'Birthday <b>cake</b>' });
    await page.reload();
    const line = page.getByRole('link', { name: 'Changed 1 transaction' });
    await line.waitFor();
    await checkScreen(visit, 'history');
    await line.click();
    await page.getByText('Birthday <b>cake</b>').waitFor();
    await page.locator('.changed-fields').getByText(payee).waitFor();
    await checkState(visit, 'history-change');
    await page.keyboard.press('u');
    await page.getByText('Undone: Changed 1 transaction').waitFor();
    await page.getByRole('link', { name: /^Undone by version/ }).waitFor();
    await page.getByRole('link', { name: 'All changes' }).click();
    await page.locator('.change.undone').waitFor();
    assert.equal((await someRow(page)).payee, payee);
    await page.getByRole('button', { name: 'Redo' }).click();
    await page.getByText('Undone: Redo').waitFor();
    assert.equal((await someRow(page)).payee, 'Bakery');
    await closeVisit(visit);
  });

  test('conflicts are explained record by record, and the rest is undone', async () => {
    const visit = await openVisit(browser, served, '/history');
    const { page } = visit;
    const [one, two] = (await someRows(page)) as [Row, Row];
    const transactions = [one, two].map(({ id }) => ({ id, notes: 'first' }));
    await send(page, 'PUT', '/v2/transactions', { transactions });
    await put(page, one.id, { notes: 'second' });
    await page.reload();
    const undos = page.getByRole('button', { name: /^Undo version/ });
    await undos.nth(1).click();
    const dialog = page.getByRole('dialog', { name: 'Records were changed since' });
    await dialog.waitFor();
    await dialog.getByText('notes was changed since').waitFor();
    // The browser itself reports the status in the console.
    assert.deepEqual(
      visit.errors.filter((error) => !error.includes('409')),
      [],
    );
    visit.errors.length = 0;
    await checkState(visit, 'history-conflicts');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await undos.nth(1).click();
    await dialog.getByRole('button', { name: 'Keep these, undo the rest' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('1 record was kept as it is now').waitFor();
    const notes = (await someRows(page)).map((row) => row.notes);
    assert.deepEqual(notes.slice(0, 2), ['second', two.notes]);
    await closeVisit(visit);
  });

  test('filters are in the address, and a filter without a hit offers all changes', async () => {
    const visit = await openVisit(browser, served, '/history');
    const { page } = visit;
    await page.getByLabel('Who').selectOption('command');
    await page.getByText(/^Filled the demo book/).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('actor'), 'command');
    await page.reload();
    await page.getByText(/^Filled the demo book/).waitFor();
    assert.equal(await page.locator('.change').count(), 1);
    await page.goto(`${served.origin}/history?operation=nothing`);
    await page.getByRole('heading', { name: 'No change fits these filters' }).waitFor();
    await page.getByRole('link', { name: 'Show all changes' }).click();
    await page.locator('.change').first().waitFor();
    await closeVisit(visit);
  });

  test('dates are typed in the format of the settings', async () => {
    const visit = await openVisit(browser, served, '/history');
    const { page } = visit;
    const from = page.getByRole('textbox', { name: 'From' });
    await from.fill('9/3/26');
    await page.keyboard.press('Tab');
    await page.waitForURL(/from=2026-03-09/);
    assert.equal(await from.inputValue(), '09/03/2026');
    await from.press('ArrowUp');
    await page.waitForURL(/from=2026-03-10/);
    await from.fill('31/2/2026');
    await page.keyboard.press('Tab');
    await page.getByText('Type a date as dd/mm/yyyy').waitFor();
    await checkState(visit, 'history-dates');
    await page.evaluate(() => {
      localStorage.setItem('coffer.preferences', JSON.stringify({ locale: 'de-DE' }));
    });
    await page.goto(`${served.origin}/history?from=2026-03-09`);
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('input[placeholder]')?.value === '09.03.2026',
    );
    await closeVisit(visit);
  });

  test('long changes are paged, and the book is shown as it was', async () => {
    const visit = await openVisit(browser, served, '/history?actor=command', {
      ...{ viewport: phone, hasTouch: true, isMobile: true },
    });
    const { page } = visit;
    await page.getByText(/^Filled the demo book/).tap();
    await page.locator('.changed-record').first().waitFor();
    const count = await page.locator('.changed-record').count();
    await page.getByRole('button', { name: 'Show more records' }).tap();
    await page.waitForFunction(
      (known) => document.querySelectorAll('.changed-record').length > known,
      count,
    );
    await page.getByRole('link', { name: 'Book at this time' }).tap();
    await page.getByRole('table').waitFor();
    await checkState(visit, 'history-earlier');
    await page.getByRole('button', { name: 'Older' }).tap();
    await page.getByRole('button', { name: 'Newer' }).waitFor();
    await closeVisit(visit);
  });

  test('a change that never was is said to be gone', async () => {
    const visit = await openVisit(browser, served, '/history/x1');
    await visit.page.getByRole('heading', { name: 'There is no such change' }).waitFor();
    await checkState(visit, 'history-gone');
    await closeVisit(visit);
  });
});
