import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { readFilter, toParameters } from '../../packages/web/src/books/filter/filter.ts';
import {
  active,
  checkTouchSize,
  drop,
  enterList,
  fillEnter,
  press,
  refuseOnce,
  said,
  send,
  typeCategory,
} from './acts.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite, type OpenOptions } from './suite.ts';

async function activeLine(page: Page, line: number): Promise<void> {
  await page.locator(`.row.active[aria-rowindex="${line}"] .name`).waitFor();
}

/** Waits until the list shows what the filter of the address finds, and returns the texts of its rows in a column. */
async function foundBy(page: Page, address: RegExp, column: string): Promise<string[]> {
  await page.waitForURL(address);
  const filter = toParameters(readFilter(new URL(page.url()).search));
  const query = { ...filter, include_pending: true };
  const { count } = await send(page, 'GET /coffer/transactions/months', { query });
  assert.ok(count > 0);
  await page.locator(`[role="grid"][aria-rowcount="${count}"] .row .name`).first().waitFor();
  return page.locator(`.row .${column}`).allInnerTexts();
}

const searched = (page: Page): Promise<string> =>
  page.getByRole('combobox', { name: 'Search' }).inputValue();

webSuite('transactions', 3000, ({ open }) => {
  async function openList(path = '/transactions', options: OpenOptions = {}) {
    const page = await open(path, options);
    await enterList(page);
    return page;
  }

  test('the keys move, from the newest row to the oldest', async () => {
    const page = await openList();
    await page.locator('.entry .facts').waitFor();
    await checkScreen(page, 'transactions');
    const first = await page.locator('.row.active .name').innerText();
    await press(page, 'j', 'j', 'k');
    await activeLine(page, 2);
    const count = Number(await page.locator('[role="grid"]').getAttribute('aria-rowcount'));
    for (const [last, newest] of [
      ['Shift+G', 'g'],
      ['End', 'Home'],
    ] as const) {
      await page.keyboard.press(last);
      await activeLine(page, count);
      await page.keyboard.press(newest);
      await activeLine(page, 1);
    }
    await active(page, 'payee', first);
  });

  test('another category: c, letters, Enter; then u takes it back', async () => {
    const page = await openList();
    const before = await page.locator('.row.active .category').innerText();
    await page.keyboard.press('c');
    await page.getByRole('combobox', { name: 'Category' }).waitFor();
    await checkState(page, 'transactions-category');
    await page.keyboard.press('Escape');
    await typeCategory(page, 'res');
    await said(page, /^Saved/);
    await active(page, 'category', 'Restaurants');
    await said(page, /^Undone/, 'u');
    await active(page, 'category', before);
  });

  test('dates, amounts and tags are edited in place; deleted rows come back', async () => {
    const page = await openList('/transactions?q=2026-04', { expected: /404/ });
    const grid = page.locator('[role="grid"]');
    const count = Number(await grid.getAttribute('aria-rowcount'));
    assert.equal(await page.locator('.row .note').filter({ hasNotText: /\S/ }).count(), 0);
    await press(page, 'm');
    const amount = page.getByRole('textbox', { name: 'Amount' });
    await fillEnter(amount, '12x');
    await page.locator('[aria-invalid="true"]').waitFor();
    await amount.fill('12.25');
    await said(page, 'Saved', 'Enter');
    await page.locator('.row.active .amount', { hasText: '12.25' }).waitFor();
    await page.keyboard.press('d');
    const date = page.getByRole('textbox', { name: 'Date' });
    const earlier = await date.inputValue();
    await page.keyboard.press('ArrowDown');
    assert.notEqual(await date.inputValue(), earlier);
    await page.keyboard.press('Escape');
    await date.waitFor({ state: 'detached' });
    await press(page, 'j', 'x', 'j', 'j', 'X');
    await page.getByText('3 selected').waitFor();
    assert.equal(await page.locator('.row.selected').count(), 3);
    await page.keyboard.press('Escape');
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
    await said(page, 'Transaction deleted', 'Delete');
    await page.locator(`[role="grid"][aria-rowcount="${count - 1}"]`).waitFor();
    await said(page, 'Undone', 'u');
    await page.locator(`[role="grid"][aria-rowcount="${count}"]`).waitFor();
  });

  test('the months at the side lead to their rows', async () => {
    const page = await openList();
    const months = page.getByRole('slider');
    const before = await months.getAttribute('aria-valuetext');
    await months.press('PageDown');
    const year = Number(before!.slice(-4));
    await page.locator(`[role="slider"][aria-valuetext$="${year - 1}"]`).waitFor();
    await months.press('PageUp');
    await page.locator(`[role="slider"][aria-valuetext="${before}"]`).waitFor();
  });

  test('of a long search the first ten words are searched, and a refused filter says why', async () => {
    const page = await open('/transactions?q=a+b+c+d+e+f+g+h+i+j+k', { expected: /400/ });
    await page.locator('.hits').getByText('only the first ten words are searched').waitFor();
    await page.getByText('Nothing fits').waitFor();
    await page.goto('/transactions?tag=0,1');
    await page.getByText('This list cannot be shown').waitFor();
    await page.getByText('cannot have 0 together with other ids').waitFor();
  });

  test('a search as it is typed finds words, amounts and months, and is in the address', async () => {
    const page = await openList('/transactions');
    await page.keyboard.press('/');
    await page.keyboard.type('40..90 2026-03..05');
    const address = /q=40\.\.90\+2026-03\.\.05$/;
    for (const text of await foundBy(page, address, 'amount')) {
      const size = Number(text.replaceAll(/[^\d.]/g, ''));
      assert.ok(size >= 40 && size <= 90, text);
    }
    for (const text of await foundBy(page, address, 'date'))
      assert.match(text, /(Mar|Apr|May) 2026/);
    await page.reload();
    await page.locator('.row .name').first().waitFor();
    assert.equal(await searched(page), '40..90 2026-03..05');
  });

  test('a search suggests what a word could mean, and knows what has a key', async () => {
    const page = await openList('/transactions');
    await page.keyboard.press('/');
    await page.keyboard.type('groc');
    const option = page.getByRole('option', { name: /^Groceries/ });
    await option.waitFor();
    await checkState(page, 'transactions-suggestions');
    await press(page, 'ArrowDown', 'Enter');
    for (const text of await foundBy(page, /\?category=\d+$/, 'category'))
      assert.equal(text, 'Groceries');
    assert.equal(await searched(page), '');
    await page.keyboard.type('>100 is:reviewed');
    await page.keyboard.press('Enter');
    const address = /\?q=%3E100&category=\d+&status=reviewed$/;
    for (const text of await foundBy(page, address, 'amount'))
      assert.ok(Number(text.replaceAll(/[^\d.]/g, '')) > 100, text);
    await page.locator('[role="grid"]:focus').waitFor();
    await page.getByRole('button', { name: 'Groceries Clear' }).click();
    await page.waitForURL(/\?q=%3E100&status=reviewed$/);
    await page.goto('/transactions?q=no:category+is:pending');
    await page.waitForURL(/\?category=0&only=pending$/);
    await page.goto('/transactions?q=is:split');
    await foundBy(page, /\?only=split$/, 'payee');
    const rows = await page.locator('.row .name').count();
    assert.equal(await page.locator('.row .mark').count(), rows);
  });

  test('the heads of the columns order the list, and turn its order', async () => {
    const page = await openList('/transactions?q=2026-03');
    const first = async (column: string) =>
      (await page.locator(`.row .${column}`).first().innerText()).toLowerCase();
    const order = async (name: string, address: RegExp): Promise<void> => {
      await page.getByRole('group', { name: 'Order' }).getByRole('button', { name }).click();
      await page.waitForURL(address);
      await page.locator('.row .name').first().waitFor();
    };
    await order('Payee', /sort=payee$/);
    const [least, none] = [await first('name'), await page.locator('.scrubber').count()];
    await order('Payee', /sort=-payee$/);
    assert.ok(least < (await first('name')) && none === 0, least);
    await order('Amount', /sort=-amount$/);
    await order('Date', /q=2026-03$/);
    await page.locator('.scrubber').waitFor();
  });

  test('nothing that fits says what to do', async () => {
    const page = await open('/transactions?q=xyzzyx');
    await page.getByRole('heading', { name: 'Nothing fits' }).waitFor();
    await checkState(page, 'transactions-nothing');
    await fillEnter(page.getByRole('combobox', { name: 'Search' }), '>100');
    await page.locator('[role="grid"]:focus .row .name').first().waitFor();
    await page.goto('/transactions?q=xyzzyx');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.locator('.row .name').first().waitFor();
  });

  test('the same payee at once: Shift+A, e; one that is still pending is left out', async () => {
    const page = await openList('/transactions');
    await page.keyboard.press('Shift+A');
    await page.getByRole('toolbar').waitFor();
    await checkState(page, 'transactions-selection');
    await said(page, /transactions saved · One is still pending and cannot be reviewed yet/, 'e');
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
  });

  test('letters do nothing when they are off, and the other keys still act', async () => {
    const page = await open('/settings');
    await page.getByLabel('Letters act as keys').uncheck();
    await page.goto('/transactions');
    await enterList(page);
    await press(page, 'j', 'x', 'c', 's', '/');
    await activeLine(page, 1);
    await press(page, 'ArrowDown', ' ');
    await page.getByRole('toolbar').waitFor();
    const selected = page.locator('.row.selected');
    assert.equal(await selected.count(), 1);
    assert.equal(await selected.getAttribute('aria-rowindex'), '2');
  });

  test('picked filters are in the address, and are removed one by one', async () => {
    const page = await openList();
    await page.getByRole('button', { name: 'Filter' }).click();
    await fillEnter(page.getByRole('dialog').getByRole('combobox', { name: 'Category' }), 'groc');
    await foundBy(page, /\?category=\d+$/, 'category');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('radio', { name: 'Reviewed' }).check();
    await page.keyboard.press('Escape');
    const shown = await foundBy(page, /category=\d+&status=reviewed$/, 'category');
    assert.deepEqual([...new Set(shown)], ['Groceries']);
    await page.locator('.chip').filter({ hasText: 'Groceries' }).click();
    await foundBy(page, /\?status=reviewed$/, 'category');
    assert.equal(await page.locator('.chip').count(), 1);
    await page.getByRole('button', { name: 'Filter' }).click();
    const tags = page.getByRole('dialog').getByRole('combobox', { name: 'Tags' });
    await tags.click();
    await tags.press('ArrowDown');
    const second = page.locator('[role="option"][aria-selected="true"]:nth-child(2)');
    const name = await second.innerText();
    await tags.press('Enter');
    await page.waitForURL(/tag=\d+/);
    await page.locator('.chip').filter({ hasText: name }).waitFor();
  });

  test('a file that is dropped on the details is attached, also after a request too many', async () => {
    const page = await openList('/transactions', { expected: /429/ });
    await refuseOnce(page, '**/attachments', 429);
    await page.locator('.entry .facts').waitFor();
    const file = { name: 'receipt.pdf', text: '%PDF-1.4', type: 'application/pdf' };
    await drop(page.getByRole('heading', { name: 'Files' }), file);
    await said(page, /^File attached/);
    const attached = page.getByRole('button', { name: 'receipt.pdf', exact: true });
    await attached.waitFor();
    await page.getByRole('button', { name: 'Delete receipt.pdf' }).click();
    await attached.waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).pathname, '/transactions');
  });

  // How many keys, clicks or taps come before the file is chosen.
  for (const [way, most] of [
    ['keys', 2],
    ['the mouse', 2],
    ['touch', 2],
  ] as const)
    test(`a receipt by ${way}: ${most} actions, then the file`, async () => {
      const isPhone = way === 'touch';
      const page = isPhone ? await open('/transactions', { isPhone }) : await openList();
      const name = page.locator('.row .name').nth(1);
      const payee = await name.innerText();
      const attach = page.getByRole('button', { name: 'Attach a file' });
      const chooser = page.waitForEvent('filechooser');
      if (isPhone) await name.tap();
      else if (way === 'keys') await press(page, 'j');
      else await name.click();
      await page.locator('.entry').getByText(payee).first().waitFor();
      if (isPhone) await attach.tap();
      else if (way === 'keys') await press(page, 'f');
      else await attach.click();
      const file = {
        name: 'receipt.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.from('%PDF-1.4'),
      };
      await (await chooser).setFiles(file);
      await said(page, /^File attached/);
      await page.getByRole('button', { name: 'receipt.pdf', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Delete receipt.pdf' }).click();
      await page.getByRole('button', { name: 'Delete receipt.pdf' }).waitFor({ state: 'detached' });
    });

  test('by touch on a phone: a card opens the entry as a page, and back', async () => {
    const page = await open('/transactions', { isPhone: true });
    await page.locator('.row .name').nth(1).tap();
    await page.waitForURL(/\/transactions\/\d+$/);
    await page.locator('.entry .facts').waitFor();
    await checkState(page, 'transactions-entry');
    await page.getByRole('button', { name: 'Back to the list' }).tap();
    await page.locator('.row .name').first().waitFor();
    await checkTouchSize(...(await page.locator('button:visible, a:visible').all()));
  });
});
