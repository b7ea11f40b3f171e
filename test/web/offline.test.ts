import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { enter, enterList, fillEnter, press, readUntil, said, send } from './acts.ts';
import { newWindow, phone, settled, skip } from './browser.ts';
import { checkState } from './check-screen.ts';
import type { ServedBook } from './served-book.ts';
import { serveBook, sharedBrowser, webSuite } from './suite.ts';

/** What the browser itself says about requests that did not reach the server. */
const expected = /net::ERR_(?:INTERNET_DISCONNECTED|CONNECTION_REFUSED|FAILED)|status of 409/;

const notice = (page: Page, text: string | RegExp) =>
  page.locator('.notice').filter({ hasText: text });

/** Types a transaction by keys. */
async function add(page: Page, payee: string, amount: string): Promise<void> {
  await page.getByRole('dialog', { name: 'New transaction' }).waitFor();
  await page.locator('input:focus[inputmode="decimal"]').waitFor();
  await enter(page, amount, 'Tab');
  await press(page, 'Tab');
  await enter(page, payee, 'Tab');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** The first payee of the book that has a category. */
async function knownPayee(page: Page): Promise<string> {
  const { payees } = await send(page, 'GET /coffer/payees', { query: { limit: 100 } });
  return payees.find(({ category_id }) => category_id !== null)!.payee;
}

/** Adds a transaction of a payee of the book, for which the form has its category and the accounts. */
async function chooseKnown(page: Page, payee: string): Promise<void> {
  const form = page.getByRole('dialog', { name: 'New transaction' });
  await form.waitFor();
  await page.locator('input:focus[inputmode="decimal"]').waitFor();
  await enter(page, '77.13', 'Tab');
  await press(page, 'Tab');
  await page.keyboard.type(payee.slice(0, 4));
  await form.getByRole('option', { name: payee }).first().click();
  const category = form.getByRole('combobox', { name: 'Category' });
  while ((await category.inputValue()) === '');
  const accounts = form.getByRole('combobox', { name: 'Account' });
  assert.ok((await accounts.locator('option').count()) > 1);
  await accounts.selectOption({ index: 0 });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await form.waitFor({ state: 'detached' });
}

describe('without a connection', { skip, timeout: 300_000 }, () => {
  let book: ServedBook;
  let context: BrowserContext;
  before(async () => {
    book = await serveBook(120);
    context = await newWindow(await sharedBrowser(), book.origin, {
      serviceWorkers: 'allow',
      viewport: phone,
      hasTouch: true,
    });
    await context.addCookies([{ ...(await book.signIn()), url: book.origin }]);
  });
  after(() => context.close());

  const opened = async (path: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(path);
    await settled(page);
    return page;
  };
  /** The payees that begin with "Offline", as often as the server has them, in the order of their ids. */
  const stored = async (page: Page): Promise<readonly string[]> =>
    page.evaluate(async () => {
      const found = await fetch('/coffer/transactions?q=offline&limit=100');
      const { transactions } = (await found.json()) as {
        transactions: { id: number; payee: string }[];
      };
      return transactions.sort((a, b) => a.id - b.id).map(({ payee }) => payee);
    });

  /** How many entries the browser keeps. */
  const unsentIn = (page: Page): Promise<number> =>
    page.evaluate(async () => {
      const open = indexedDB.open('coffer');
      await new Promise((resolve) => open.addEventListener('success', resolve));
      const count = open.result.transaction('unsent').objectStore('unsent').count();
      await new Promise((resolve) => count.addEventListener('success', resolve));
      open.result.close();
      return count.result;
    });

  test('five entries are typed, the tab is killed, the app opens without a server; all arrive once', async () => {
    const first = await opened('/');
    await first.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
    const known = await knownPayee(first);
    await first.waitForFunction(
      (payee) => localStorage.getItem('coffer.names')?.includes(payee) === true,
      known,
    );
    const kept = await first.evaluate(() => localStorage.getItem('coffer.names')!);
    assert.doesNotMatch(kept, /"(?:balance|count|notes|last_date)"/);
    await first.close();
    const page = await opened('/transactions');
    await context.setOffline(true);
    for (const name of ['one', 'two']) {
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await add(page, `Offline ${name}`, '1.50');
      await said(page, 'Kept in this browser');
    }
    await notice(page, '2 entries are not sent yet').waitFor();
    await page.close({ runBeforeUnload: false });

    const again = await opened('/transactions');
    await again.getByRole('heading', { name: 'The server cannot be reached' }).waitFor();
    await again.getByText('Offline two').waitFor();
    await checkState(again, 'offline-start');
    for (const name of ['three', 'four', 'five']) {
      await again.getByRole('button', { name: 'Add a transaction' }).click();
      await add(again, `Offline ${name}`, '2');
      await again.locator('.unsent').getByText(`Offline ${name}`).waitFor();
    }
    await again.getByRole('button', { name: 'Add a transaction' }).click();
    await chooseKnown(again, known);
    await again.locator('.unsent').getByText(known).waitFor();
    await again.close();
    await context.setOffline(false);

    const last = await opened('/transactions');
    await said(last, 'What was typed without a connection is stored');
    while ((await unsentIn(last)) > 0);
    const names = ['one', 'two', 'three', 'four', 'five'].map((name) => `Offline ${name}`);
    assert.deepEqual(await stored(last), names);
    const { transactions } = await send(last, 'GET /coffer/transactions', {
      query: { payee: known, min_amount: '77.13', max_amount: '77.13' },
    });
    assert.equal(transactions.length, 1);
    assert.ok(transactions[0]!.category_id !== null && transactions[0]!.manual_account_id !== null);
    await last.close();
  });

  test('every screen has its code without a server', async () => {
    const page = await opened('/');
    await context.setOffline(true);
    const files = await page.evaluate(async () => {
      const names = await caches.keys();
      const shell = await caches.open(names[0]!);
      return { names, paths: (await shell.keys()).map(({ url }) => new URL(url).pathname) };
    });
    assert.equal(files.names.length, 1);
    assert.ok(files.paths.filter((path) => path.endsWith('.js')).length > 20);
    assert.ok(files.paths.every((path) => !/^\/(?:v1|v2|coffer)\//.test(path)));
    for (const path of ['/budget', '/reports/spending', '/import'])
      assert.equal((await page.goto(path))?.status(), 200, path);
    await context.setOffline(false);
    await page.close();
  });
});

webSuite('what was typed without a connection', 120, (site) => {
  async function writeNotes(page: Page, text: string): Promise<void> {
    await page.keyboard.press('n');
    await fillEnter(page.getByRole('textbox', { name: 'Notes' }), text);
    await page.locator('.row.active .note').getByText(text, { exact: true }).waitFor();
  }

  /** Changes the notes of the newest transaction from elsewhere: another page would send what waits. */
  async function changeElsewhere(page: Page, notes: string): Promise<void> {
    const { request } = page.context();
    const headers = { 'sec-fetch-site': 'same-origin' };
    const { origin } = new URL(page.url());
    const found = await request.get(`${origin}/coffer/transactions?limit=1`);
    const { transactions } = (await found.json()) as { transactions: { id: number }[] };
    const url = `${origin}/v2/transactions/${transactions[0]!.id}`;
    assert.equal((await request.put(url, { headers, data: { notes } })).status(), 200);
  }

  test('is not written over what somebody else has changed, until the user says so', async () => {
    const page = await site.open('/transactions', { expected });
    await enterList(page);
    await writeNotes(page, 'before');
    await said(page, /^Saved/);
    // The page alone is without a connection.
    await page.route(/\/(v2|coffer)\/transactions/, (route) => route.abort('internetdisconnected'));
    await page.route('**/coffer/session', (route) => route.abort('internetdisconnected'));
    await writeNotes(page, 'mine');
    await notice(page, '1 entry is not sent yet').waitFor();
    await changeElsewhere(page, 'theirs');
    await page.unrouteAll();
    await notice(page, '1 entry is not sent yet').getByRole('button', { name: 'Show' }).click();
    const sheet = page.getByRole('dialog', { name: 'Not sent yet' });
    await sheet.getByText('Somebody else has changed it since: notes “theirs”').waitFor();
    await checkState(page, 'unsent');
    await sheet.getByRole('button', { name: 'Keep mine' }).click();
    await sheet.getByRole('listitem').waitFor({ state: 'detached' });
    await press(page, 'Escape');
    await readUntil(
      page,
      'GET /coffer/transactions',
      { query: { limit: 1 } },
      (found) => found.transactions[0]?.notes === 'mine',
    );
  });

  test('is sent or discarded before somebody signs out', async () => {
    const page = await site.open('/transactions', { expected });
    await page.locator('.row .name').first().waitFor();
    await page.route('**/v2/transactions', (route) =>
      route.request().method() === 'POST' ? route.abort('internetdisconnected') : route.continue(),
    );
    await press(page, '+');
    await add(page, 'Kept until the end', '4');
    await said(page, 'Kept in this browser');
    assert.notEqual(await page.evaluate(() => localStorage.getItem('coffer.names')), null);
    await page.getByRole('button', { name: 'Sign out' }).click();
    const asked = page.getByRole('dialog', { name: /^Sign out with entries/ });
    await asked.getByText('Kept until the end').waitFor();
    await checkState(page, 'leaving');
    await page.unrouteAll();
    await asked.getByRole('button', { name: 'Send and sign out' }).click();
    await page.getByLabel('E-mail').waitFor();
    for (const key of ['coffer.session', 'coffer.names'])
      assert.equal(await page.evaluate((each) => localStorage.getItem(each), key), null, key);
    const again = await site.open('/transactions?q=kept', { expected });
    await again.locator('.row .name').getByText('Kept until the end').waitFor();
  });
});
