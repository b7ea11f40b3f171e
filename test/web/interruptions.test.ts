import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { drop, enter, enterList, fillEnter, press, refuseOnce, said } from './acts.ts';
import { webSuite, type Site } from './suite.ts';

/** What the browser itself says about requests that did not succeed. */
const expected = /net::ERR_INTERNET_DISCONNECTED|status of 4(?:01|09|29)/;
const dialog = (page: Page): Locator => page.getByRole('dialog');

async function openPage({ open }: Site, path: string): Promise<Page> {
  const page = await open(path, { expected });
  if (!path.startsWith('/transactions')) return page;
  await enterList(page);
  // The code of the editor arrives later than the list, and cannot arrive offline.
  await page.keyboard.press('n');
  await page.getByRole('textbox', { name: 'Notes' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: 'Notes' }).waitFor({ state: 'detached' });
  await page.locator('.row.active .name').filter({ hasText: /\S/ }).waitFor();
  return page;
}

async function whileOffline(page: Page, act: () => Promise<void>): Promise<void> {
  await page.context().setOffline(true);
  await act();
  await page.context().setOffline(false);
}

async function waits(page: Page, text = 'The server cannot be reached'): Promise<void> {
  await page.locator('.notice').filter({ hasText: text }).waitFor();
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
    const { origin } = new URL(page.url());
    const session = await page.context().request.get(`${origin}/coffer/session`);
    const json: unknown = await session.json();
    await page.route('**/coffer/session', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 201, json }) : route.continue(),
    );
    await again.getByLabel('E-mail').fill('demo@coffer.example');
    await fillEnter(again.getByLabel('Password'), 'password');
  };
}

/** Lets the next list be read before the next edit is stored, and arrive after it. */
async function listArrivesAfterEdit(page: Page): Promise<void> {
  const read = Promise.withResolvers<undefined>();
  const stored = page.waitForResponse(
    (response) => response.request().method() === 'PUT' && response.ok(),
  );
  await page.route(
    '**/coffer/transactions?*',
    async (route) => {
      const response = await route.fetch();
      read.resolve(undefined);
      await stored;
      // The page may no longer wait for it.
      await route.fulfill({ response }).catch(() => undefined);
    },
    { times: 1 },
  );
  await page.route('**/coffer/transactions', async (route) => {
    if (route.request().method() === 'PUT') await read.promise;
    await route.continue();
  });
}

webSuite('an edit that is interrupted', 300, (site) => {
  const noteOf = (page: Page, text: string): Promise<void> =>
    page.locator('.row.active .note').getByText(text, { exact: true }).waitFor();

  async function writeNotes(page: Page, text: string): Promise<void> {
    await page.keyboard.press('n');
    await fillEnter(page.getByRole('textbox', { name: 'Notes' }), text);
    await noteOf(page, text);
  }

  test('is sent when the server can be reached again, and shows its text as text', async () => {
    const page = await openPage(site, '/transactions');
    const text = '<img src=x onerror="alert(1)"> \u202egnp';
    await whileOffline(page, async () => {
      await writeNotes(page, text);
      await waits(page);
    });
    await said(page, /^Saved/);
    await page.reload();
    await page.locator('.row .note').getByText(text, { exact: true }).waitFor();
    assert.equal(await page.locator('img').count(), 0);
  });

  test('waits for signing in again, and is sent then', async () => {
    const page = await openPage(site, '/transactions');
    const signIn = await signOut(page);
    await writeNotes(page, 'signed out');
    await dialog(page).waitFor();
    await listArrivesAfterEdit(page);
    await signIn();
    await said(page, /^Saved/);
    await noteOf(page, 'signed out');
  });

  test('waits as long as the server says when there were too many requests', async () => {
    const page = await openPage(site, '/transactions');
    await refuseOnce(page, '**/coffer/transactions', 429);
    await writeNotes(page, 'too early');
    await waits(page, 'continues in');
    await said(page, /^Saved/);
    await page.locator('.notice').waitFor({ state: 'detached' });
  });

  test('goes back visibly when the server refuses it, and can be edited again as it was typed', async () => {
    const page = await openPage(site, '/transactions');
    const payee = page.locator('.row.active .name');
    const before = await payee.innerText();
    await refuseOnce(page, '**/coffer/transactions', 409);
    await page.keyboard.press('Enter');
    const field = page.getByRole('combobox', { name: 'Payee' });
    await field.fill('Somebody else');
    await page.locator('[role="option"]').filter({ hasText: 'Somebody else' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.toast.problem').filter({ hasText: 'It was changed' }).waitFor();
    await payee.getByText(before, { exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('button', { name: 'Edit again' }).click();
    assert.equal(await field.inputValue(), 'Somebody else');
    await said(page, /^Saved/, 'Enter');
    await payee.getByText('Somebody else', { exact: true }).waitFor();
  });
});

webSuite('what is typed in a dialog stays', 300, (site) => {
  test('in the split dialog: refused, offline, signed out, and too early', async () => {
    const page = await openPage(site, '/transactions?q=2026-09');
    const split = dialog(page).getByRole('button', { name: 'Split', exact: true });
    const typed = dialog(page).getByLabel('Amount 1');
    await page.keyboard.press('s');
    await typed.fill('1.25');
    await refuseOnce(page, '**/v2/transactions/split/*', 409);
    await split.click();
    await dialog(page).getByText('It was not saved: It was changed').waitFor();
    assert.equal(await typed.inputValue(), '1.25');
    await whileOffline(page, async () => {
      await split.click();
      await dialog(page).getByText('The server cannot be reached').waitFor();
      assert.equal(await typed.inputValue(), '1.25');
    });
    const signIn = await signOut(page);
    await split.click();
    await signIn();
    await said(page, /^Saved/);
    await dialog(page).waitFor({ state: 'detached' });
    await page.keyboard.press('G');
    await page.locator('.row.active .name').waitFor();
    await page.keyboard.press('s');
    await typed.fill('0.01');
    await refuseOnce(page, '**/v2/transactions/split/*', 429);
    await split.click();
    await waits(page, 'continues in');
    assert.equal(await typed.inputValue(), '0.01');
    await dialog(page).waitFor({ state: 'detached' });
  });

  test('in the group dialog when it is refused; the bulk bar waits while offline', async () => {
    const page = await openPage(site, '/transactions?q=2026-03..07');
    const toolbar = page.getByRole('toolbar');
    await press(page, 'x', 'j', 'x');
    await toolbar.getByRole('button', { name: 'Group' }).click();
    await dialog(page).getByLabel('Payee').fill('Weekend');
    await refuseOnce(page, '**/v2/transactions/group', 409);
    await page.keyboard.press('Enter');
    await dialog(page).getByText('It was not saved: It was changed').waitFor();
    assert.equal(await dialog(page).getByLabel('Payee').inputValue(), 'Weekend');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await whileOffline(page, async () => {
      await toolbar.getByRole('button', { name: 'Category' }).click();
      await fillEnter(page.getByRole('combobox', { name: 'Category' }), 'rest');
      await waits(page);
    });
    await said(page, /^2 transactions saved/);
  });

  test('in a budget cell while offline, which is saved later', async () => {
    const page = await openPage(site, '/budget/2026-10');
    const row = page.getByRole('row').filter({
      has: page.getByRole('rowheader', { name: 'Groceries', exact: true }),
    });
    await row.locator('.budgeted').getByRole('button').focus();
    await whileOffline(page, async () => {
      await enter(page, '55.5');
      await waits(page);
      await row.locator('.budgeted').getByText('55.50').waitFor();
    });
    await said(page, 'The budget of Groceries is saved');
  });

  test('in the reading of a file while offline, which is sent later', async () => {
    const page = await site.open('/import', { expected: /DISCONNECTED|status of 400/ });
    const text = 'Date,Description,Amount\n02/03/2026,Corner Grocer,-23.40\n';
    await drop(page.locator('body'), { name: 'april.csv', text });
    await page.getByLabel('Dates').selectOption('d/m/y');
    await whileOffline(page, async () => {
      await page.getByRole('button', { name: 'Read again' }).click();
      await waits(page);
    });
    await page.getByText('2 Mar 2026').first().waitFor();
  });
});
