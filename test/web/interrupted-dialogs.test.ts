import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, skip } from './browser.ts';
import { serveBook, type ServedBook } from './served-book.ts';

const toast = (page: Page, text: RegExp): Promise<void> =>
  page.locator('.toast').filter({ hasText: text }).last().waitFor();
const dialog = (page: Page) => page.getByRole('dialog');

/** Refuses the next write to a path, once. */
async function refuseOnce(page: Page, path: string, status: 409 | 429): Promise<void> {
  let isDone = false;
  await page.route(path, (route) => {
    if (isDone || route.request().method() === 'GET') return route.continue();
    isDone = true;
    const json = { message: 'It was changed', errors: [] };
    return route.fulfill({ status, headers: { 'retry-after': '1' }, json });
  });
}

/** Ends the session of a page; returns what signs in again by the dialog over the screen. */
async function signOut(page: Page): Promise<() => Promise<void>> {
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  return async () => {
    const again = page.getByRole('dialog', { name: 'Sign in to continue' });
    await again.waitFor();
    // The user has no password, so the test gives back the session itself.
    await page.context().addCookies(cookies);
    await page.route('**/coffer/session', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 201, json: {} })
        : route.continue(),
    );
    await again.getByLabel('E-mail').fill('demo@coffer.example');
    await again.getByLabel('Password').fill('password');
    await page.keyboard.press('Enter');
  };
}

describe('what is typed in a dialog stays', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 300 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });
  const open = async (path: string) => {
    const visit = await openVisit(browser, served, path);
    const { page } = visit;
    if (path.startsWith('/transactions')) {
      await page.locator('.row .name').first().waitFor();
      await page.locator('[role="grid"]').focus();
    }
    return { visit, page };
  };

  test('in the split dialog: refused, offline, signed out, and too early', async () => {
    const { visit, page } = await open('/transactions?q=2026-09');
    const split = dialog(page).getByRole('button', { name: 'Split', exact: true });
    const typed = dialog(page).getByLabel('Amount 1');
    await page.keyboard.press('s');
    await typed.fill('1.25');
    await refuseOnce(page, '**/v2/transactions/split/*', 409);
    await split.click();
    await dialog(page).getByText('It was not saved: It was changed').waitFor();
    assert.equal(await typed.inputValue(), '1.25');
    await page.context().setOffline(true);
    await split.click();
    await dialog(page).getByText('The server cannot be reached').waitFor();
    assert.equal(await typed.inputValue(), '1.25');
    await page.context().setOffline(false);
    const signIn = await signOut(page);
    await split.click();
    await signIn();
    await toast(page, /^Saved/);
    await dialog(page).waitFor({ state: 'detached' });
    await page.keyboard.press('G');
    await page.keyboard.press('s');
    await typed.fill('0.01');
    await page.unroute('**/v2/transactions/split/*');
    await refuseOnce(page, '**/v2/transactions/split/*', 429);
    await split.click();
    await page.locator('.notice').filter({ hasText: 'continues in' }).waitFor();
    assert.equal(await typed.inputValue(), '0.01');
    await dialog(page).waitFor({ state: 'detached' });
    await closeVisit(visit);
  });

  test('in the group dialog when it is refused; the bulk bar waits while offline', async () => {
    const { visit, page } = await open('/transactions?q=2026-03..07');
    for (const key of ['x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByRole('toolbar').getByRole('button', { name: 'Group' }).click();
    await dialog(page).getByLabel('Payee').fill('Weekend');
    await refuseOnce(page, '**/v2/transactions/group', 409);
    await page.keyboard.press('Enter');
    await dialog(page).getByText('It was not saved: It was changed').waitFor();
    assert.equal(await dialog(page).getByLabel('Payee').inputValue(), 'Weekend');
    await page.keyboard.press('Escape');
    await page.context().setOffline(true);
    await page.getByRole('toolbar').getByRole('button', { name: 'Category' }).click();
    await page.getByRole('combobox', { name: 'Category' }).fill('rest');
    await page.keyboard.press('Enter');
    await page.locator('.notice').waitFor();
    await page.context().setOffline(false);
    await toast(page, /^2 transactions saved/);
    await closeVisit(visit);
  });

  test('in a budget cell while offline, which is saved later', async () => {
    const { visit, page } = await open('/budget/2026-10');
    const line = page.getByRole('row').filter({
      has: page.getByRole('rowheader', { name: 'Groceries', exact: true }),
    });
    await line.locator('.budgeted').getByRole('button').focus();
    await page.context().setOffline(true);
    await page.keyboard.type('55.5');
    await page.keyboard.press('Enter');
    await page.locator('.notice').waitFor();
    await line.locator('.budgeted').getByText('55.50').waitFor();
    await page.context().setOffline(false);
    await toast(page, /The budget of Groceries is saved/);
    await closeVisit(visit);
  });

  test('in the forms of categories, accounts and settings', async () => {
    const { visit, page } = await open('/categories');
    await page.getByRole('button', { name: 'Add a category' }).click();
    await dialog(page).getByLabel('Name').fill('Aquarium');
    const signIn = await signOut(page);
    await page.keyboard.press('Enter');
    await signIn();
    await page.getByText('Aquarium is added').waitFor();
    await page.goto(`${served.origin}/accounts`);
    await page.getByRole('button', { name: 'Add an account' }).click();
    await dialog(page).getByLabel('Name').fill('Piggy bank');
    await page.context().setOffline(true);
    await page.keyboard.press('Enter');
    await dialog(page).getByText('The server cannot be reached').waitFor();
    assert.equal(await dialog(page).getByLabel('Name').inputValue(), 'Piggy bank');
    await page.context().setOffline(false);
    await page.keyboard.press('Enter');
    await page.getByText('Piggy bank is added').waitFor();
    await page.goto(`${served.origin}/settings/tokens`);
    await page.getByRole('button', { name: 'Make a token' }).click();
    await dialog(page).getByLabel('What it is for').fill('Script');
    await refuseOnce(page, '**/coffer/tokens', 429);
    await page.keyboard.press('Enter');
    await page.locator('.notice').filter({ hasText: 'continues in' }).waitFor();
    assert.equal(await dialog(page).getByLabel('What it is for').inputValue(), 'Script');
    await page.getByRole('textbox', { name: 'Access token' }).waitFor();
    await closeVisit(visit);
  });

  test('in the reading of a file while offline, which is sent later', async () => {
    const { visit, page } = await open('/import');
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      const text = 'Date,Description,Amount\n02/03/2026,Corner Grocer,-23.40\n';
      dataTransfer.items.add(new File([text], 'april.csv'));
      const options = { dataTransfer, bubbles: true, cancelable: true };
      document.body.dispatchEvent(new DragEvent('drop', options));
    });
    await page.getByLabel('Dates').selectOption('d/m/y');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.locator('.notice').waitFor();
    await page.context().setOffline(false);
    await page.getByText('2 Mar 2026').first().waitFor();
    await closeVisit(visit);
  });
});
