import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, skip, type Visit } from './browser.ts';
import { serveBook, type ServedBook } from './served-book.ts';

describe('an edit that is interrupted', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 300 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });

  async function open(): Promise<Visit> {
    const visit = await openVisit(browser, served, '/transactions');
    await visit.page.locator('.row .name').first().waitFor();
    await visit.page.locator('[role="grid"]').focus();
    return visit;
  }
  async function writeNotes(page: Page, text: string): Promise<void> {
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Notes' }).fill(text);
    await page.keyboard.press('Enter');
  }
  const isSaved = (page: Page): Promise<void> =>
    page
      .locator('.toast')
      .filter({ hasText: /^Saved/ })
      .last()
      .waitFor();
  const notes = (page: Page): Promise<string | null> =>
    page.locator('.row.active .note').textContent();

  test('is sent when the server can be reached again', async () => {
    const visit = await open();
    const { page } = visit;
    await page.context().setOffline(true);
    await writeNotes(page, 'while offline');
    assert.equal(await notes(page), 'while offline');
    await page.locator('.notice').waitFor();
    await page.context().setOffline(false);
    await isSaved(page);
    await page.reload();
    await page.locator('.row .note').filter({ hasText: 'while offline' }).waitFor();
    await closeVisit(visit);
  });

  test('waits for signing in again, and is sent then', async () => {
    const visit = await open();
    const { page } = visit;
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await writeNotes(page, 'signed out');
    await page.getByRole('dialog', { name: 'Sign in to continue' }).waitFor();
    assert.equal(await notes(page), 'signed out');
    // The user has no password, so the test gives back the session itself.
    await page.context().addCookies(cookies);
    await page.route('**/coffer/session', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 201, json: {} })
        : route.continue(),
    );
    await page.getByLabel('E-mail').fill('demo@coffer.example');
    await page.getByLabel('Password').fill('password');
    await page.keyboard.press('Enter');
    await isSaved(page);
    await closeVisit(visit);
  });

  test('waits as long as the server says when there were too many requests', async () => {
    const visit = await open();
    const { page } = visit;
    let refused = 0;
    await page.route('**/v2/transactions/*', (route) => {
      if (route.request().method() !== 'PUT' || refused > 0) return route.continue();
      refused += 1;
      const json = { message: 'Too many requests', errors: [] };
      return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json });
    });
    await writeNotes(page, 'too early');
    await page.locator('.notice').filter({ hasText: 'continues in' }).waitFor();
    await isSaved(page);
    assert.equal(refused, 1);
    await page.locator('.notice').waitFor({ state: 'detached' });
    await closeVisit(visit);
  });

  test('goes back visibly when the server refuses it, and can be edited again as it was typed', async () => {
    const visit = await open();
    const { page } = visit;
    const before = await page.locator('.row.active .name').textContent();
    await page.route('**/v2/transactions/*', (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 409, json: { message: 'It was changed', errors: [] } })
        : route.continue(),
    );
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Payee' }).fill('Somebody else');
    await page.locator('[role="option"]').first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.toast.problem').filter({ hasText: 'It was changed' }).waitFor();
    assert.equal(await page.locator('.row.active .name').textContent(), before);
    await page.keyboard.press('j');
    await page.getByRole('button', { name: 'Edit again' }).click();
    const again = page.getByRole('combobox', { name: 'Payee' });
    assert.equal(await again.inputValue(), 'Somebody else');
    await page.unroute('**/v2/transactions/*');
    await page.keyboard.press('Enter');
    await isSaved(page);
    assert.equal(await page.locator('.row.active .name').textContent(), 'Somebody else');
    await closeVisit(visit);
  });

  test('hostile texts are shown as text', async () => {
    const visit = await open();
    const { page } = visit;
    const text = '<img src=x onerror="alert(1)"> \u202egnp';
    await writeNotes(page, text);
    await isSaved(page);
    await page.reload();
    await page.locator('.row .note').first().waitFor();
    const shown = await page.locator('.row .note').allTextContents();
    assert.ok(shown.includes(text), shown.join());
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(visit.errors, []);
    await closeVisit(visit);
  });
});
