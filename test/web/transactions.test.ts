import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, settled, skip } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

/** The text of a cell of the active row. */
async function active(page: Page, field: string): Promise<string> {
  return page.locator(`.row.active [data-field="${field}"]`).innerText();
}

async function toast(page: Page, text: RegExp): Promise<void> {
  await page.locator('.toast').filter({ hasText: text }).last().waitFor();
}

describe('transactions', { skip, timeout: 400_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook()]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });
  const open = async (path = '/transactions') => {
    const visit = await openVisit(browser, served, path);
    await visit.page.locator('.row .name').first().waitFor();
    await visit.page.locator('[role="grid"]').focus();
    return visit;
  };

  test('the screen, in every mode', async () => {
    const visit = await open();
    await visit.page.locator('.entry .facts').waitFor();
    await checkScreen(visit, 'transactions');
    await closeVisit(visit);
  });

  test('the keys move, from the newest row to the oldest', async () => {
    const visit = await open();
    const { page } = visit;
    const first = await active(page, 'payee');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    assert.equal(await page.locator('.row.active').getAttribute('aria-rowindex'), '2');
    await page.keyboard.press('Shift+G');
    const count = await page.locator('[role="grid"]').getAttribute('aria-rowcount');
    await page.locator('.row.active .name').waitFor();
    assert.equal(await page.locator('.row.active').getAttribute('aria-rowindex'), count);
    await page.keyboard.press('g');
    await page.locator('.row.active .name').waitFor();
    assert.equal(await active(page, 'payee'), first);
    assert.deepEqual(visit.errors, []);
    await closeVisit(visit);
  });

  test('another category: c, letters, Enter; then u takes it back', async () => {
    const visit = await open();
    const { page } = visit;
    const before = await active(page, 'category');
    await page.keyboard.press('c');
    await page.getByRole('combobox', { name: 'Category' }).waitFor();
    await checkState(visit, 'transactions-category');
    await page.keyboard.type('res');
    const chosen = await page.locator('[role="option"][aria-selected="true"]').innerText();
    await page.keyboard.press('Enter');
    await toast(page, /^Saved/);
    assert.equal(await active(page, 'category'), chosen.split('\n')[0]);
    await page.keyboard.press('u');
    await toast(page, /^Undone/);
    await page.waitForFunction(
      (text) => document.querySelector('.row.active .category')?.textContent === text,
      before,
    );
    assert.deepEqual(visit.errors, []);
    await closeVisit(visit);
  });

  test('a search as it is typed finds words, amounts and months, and is in the address', async () => {
    const visit = await open();
    const { page } = visit;
    await page.keyboard.press('/');
    await page.keyboard.type('40..90 2026-03..05');
    await page.waitForURL(/q=40\.\.90/);
    await settled(page);
    await page.locator('.row .name').first().waitFor();
    const amounts = await page.locator('.row .amount').allInnerTexts();
    for (const text of amounts) {
      const size = Number(text.replaceAll(/[^\d.]/g, ''));
      assert.ok(size >= 40 && size <= 90, text);
    }
    const dates = await page.locator('.row .date').allInnerTexts();
    assert.ok(
      dates.every((text) => /(Mar|Apr|May) 2026/.test(text)),
      dates.join(),
    );
    await page.reload();
    await page.locator('.row .name').first().waitFor();
    assert.equal(await page.getByRole('searchbox').inputValue(), '40..90 2026-03..05');
    await closeVisit(visit);
  });

  test('nothing that fits says what to do', async () => {
    const visit = await openVisit(browser, served, '/transactions?q=xyzzyx');
    await visit.page.getByRole('heading', { name: 'Nothing fits' }).waitFor();
    await checkState(visit, 'transactions-nothing');
    await visit.page.getByRole('button', { name: 'Clear' }).click();
    await visit.page.locator('.row .name').first().waitFor();
    await closeVisit(visit);
  });

  test('the same payee at once: Shift+A, c, letters, Enter, e', async () => {
    const visit = await open();
    const { page } = visit;
    await page.keyboard.press('Shift+A');
    await page.getByRole('toolbar').waitFor();
    await checkState(visit, 'transactions-selection');
    await page.keyboard.press('e');
    await toast(page, /saved|Saved/);
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
    await closeVisit(visit);
  });

  test('in two by keys alone: s, amount, Tab, category, Enter', async () => {
    const visit = await open('/transactions?q=100..200');
    const { page } = visit;
    await page.keyboard.press('s');
    await page.getByRole('dialog', { name: 'Split' }).waitFor();
    await page.keyboard.type('10');
    await page.keyboard.press('Tab');
    await page.keyboard.type('gro');
    await checkState(visit, 'transactions-split');
    await page.keyboard.press('Enter');
    await toast(page, /^Saved/);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.deepEqual(visit.errors, []);
    await closeVisit(visit);
  });

  test('letters do nothing when they are off, and the other keys still act', async () => {
    const visit = await openVisit(browser, served, '/settings');
    const { page } = visit;
    await page.getByLabel('Letters act as keys').uncheck();
    await page.goto(`${served.origin}/transactions`);
    await page.locator('.row .name').first().waitFor();
    await page.locator('[role="grid"]').focus();
    for (const letter of ['j', 'x', 'c', 's', '/']) await page.keyboard.press(letter);
    assert.equal(await page.locator('.row.active').getAttribute('aria-rowindex'), '1');
    assert.equal(await page.getByRole('toolbar').count(), 0);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press(' ');
    await page.getByRole('toolbar').waitFor();
    assert.equal(await page.locator('.row.selected').getAttribute('aria-rowindex'), '2');
    await closeVisit(visit);
  });

  test('picked filters are in the address, and are removed one by one', async () => {
    const visit = await open();
    const { page } = visit;
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Category' }).fill('groc');
    await page.keyboard.press('Enter');
    await page.waitForURL(/category/);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('radio', { name: 'Reviewed' }).check();
    await page.keyboard.press('Escape');
    const chips = page.locator('.chip');
    await chips.nth(1).waitFor();
    const categories = await page.locator('.row .category').allInnerTexts();
    assert.deepEqual([...new Set(categories)], ['Groceries']);
    await chips.filter({ hasText: 'Groceries' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.chip').length === 1);
    assert.equal(new URL(page.url()).searchParams.has('category'), false);
    await closeVisit(visit);
  });

  test('a file that is dropped on the details is attached, also after a request too many', async () => {
    const visit = await open();
    const { page } = visit;
    let refused = 0;
    await page.route('**/attachments', (route) => {
      refused += 1;
      const json = { message: 'Too many requests', errors: [] };
      return refused > 1
        ? route.continue()
        : route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json });
    });
    await page.locator('.entry .facts').waitFor();
    await page.getByRole('heading', { name: 'Files' }).evaluate((heading) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['%PDF-1.4'], 'receipt.pdf', { type: 'application/pdf' }));
      const options = { dataTransfer, bubbles: true, cancelable: true };
      heading.dispatchEvent(new DragEvent('drop', options));
    });
    await toast(page, /^File attached/);
    await page.getByRole('button', { name: 'receipt.pdf', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete receipt.pdf' }).click();
    await page
      .getByRole('button', { name: 'receipt.pdf', exact: true })
      .waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).pathname, '/transactions');
    await closeVisit(visit);
  });

  test('by touch on a phone: a card opens the entry as a page, and back', async () => {
    const options = { viewport: phone, hasTouch: true, isMobile: true };
    const visit = await openVisit(browser, served, '/transactions', options);
    const { page } = visit;
    await page.locator('.row .name').nth(1).tap();
    await page.waitForURL(/\/transactions\/\d+$/);
    await page.locator('.entry .facts').waitFor();
    await checkState(visit, 'transactions-entry');
    await page.getByRole('button', { name: 'Back to the list' }).tap();
    await page.locator('.row .name').first().waitFor();
    const small = await page.locator('button:visible, a:visible').evaluateAll((all) =>
      all
        .map((each) => ({ name: each.textContent, box: each.getBoundingClientRect() }))
        .filter(({ box }) => box.height > 0 && (box.height < 44 || box.width < 44))
        .map(({ name, box }) => `${name} ${box.width}×${box.height}`),
    );
    assert.deepEqual(small, []);
    await closeVisit(visit);
  });
});
