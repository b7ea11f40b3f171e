import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { isLong } from '../../packages/core/src/testing/length.ts';
import { urlOf } from '../../packages/web/src/api/request.ts';
import { checkTouchSize, drop, enter, fillEnter, press, said, send } from './acts.ts';
import { desktop, phone } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

const table = (name: string, ...rows: readonly string[]) => ({
  name,
  text: `Date,Description,Amount\n${rows.join('\n')}\n`,
});
const dropOn = (page: Page, ...files: readonly { name: string; text: string }[]): Promise<void> =>
  drop(page.locator('body'), ...files);
const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { name }).waitFor();
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
/** Checks that the whole text is seen, and not struck through. */
async function checkReadable(text: Locator): Promise<void> {
  await text.waitFor();
  const { isWhole, line } = await text.evaluate((element) => ({
    isWhole:
      element.scrollWidth <= element.clientWidth && element.scrollHeight <= element.clientHeight,
    line: getComputedStyle(element).textDecorationLine,
  }));
  assert.ok(isWhole && line === 'none', `${isWhole} ${line}`);
}
const cell = (page: Page, name: string) => page.getByRole('gridcell', { name });

webSuite('the screen that imports', 500, ({ open }) => {
  test('a file is dropped on any screen, imported by Enter, and undone by u', async () => {
    const page = await open('/', { expected: /410/ });
    const rows = ['2026-11-02,Corner Grocer,-23.40', '2026-11-03,Café Müller,-4.20'];
    await dropOn(page, table('november.csv', ...rows));
    await heading(page, 'november.csv');
    await cell(page, 'Corner Grocer').waitFor();
    await checkState(page, 'import-preview');
    await button(page, 'Import 2 transactions').focus();
    await page.keyboard.press('Enter');
    await heading(page, '2 transactions imported');
    await checkState(page, 'import-result');
    const link = await page.getByRole('link', { name: 'Show them' }).getAttribute('href');
    assert.match(link ?? '', /^\/transactions\?import=\d+$/);
    await page.keyboard.press('u');
    await heading(page, 'This import is undone');
    await button(page, 'Restore').click();
    await heading(page, '2 transactions imported');
    await page.getByRole('link', { name: 'All imports' }).click();
    const undo = button(page, 'Undo the import of november.csv');
    await undo.waitFor();
    await checkScreen(page, 'import');
    // As if it were so old that its history is gone.
    const gone = { status: 410, json: { message: 'Gone', errors: [] } };
    await page.route('**/undo*', (route) => route.fulfill(gone), { times: 1 });
    await said(page, 'so it cannot be undone', undo);
  });

  test('several files come one after another, and a reload loses no preview', async () => {
    const page = await open('/import');
    const one = table('one.csv', '2026-10-05,Baker,-7.00');
    await dropOn(page, one, table('two.csv', '2026-10-05,Butcher,-7.00'));
    await heading(page, 'one.csv');
    await button(page, 'Import 1 transaction without an account').click();
    await page.getByRole('link', { name: 'Next file: two.csv' }).click();
    await heading(page, 'two.csv');
    await page.reload();
    await cell(page, 'Butcher').waitFor();
    await page.goto('/import');
    await page.getByRole('link', { name: 'Show two.csv' }).click();
    await said(page, 'two.csv was discarded', button(page, 'Discard'));
  });

  test('without an account Enter imports nothing, and one can be chosen after a reload, too', async () => {
    const page = await open('/import');
    // Of columns of its own, because the account is remembered for files with the same ones.
    const text = 'Date,Payee,Amount,Memo\n2026-10-06,Coin Shop,-7.00,Jar\n';
    await dropOn(page, { name: 'jar.csv', text });
    await button(page, 'Import 1 transaction without an account').waitFor();
    await page.reload();
    await button(page, 'Import 1 transaction without an account').waitFor();
    await page.keyboard.press('Enter');
    await fillEnter(page.getByRole('combobox', { name: 'Account' }), 'Savings jar');
    await page.getByText('The rows go there when you import them').waitFor();
    await checkState(page, 'import-account-chosen');
    await page.getByRole('button', { name: 'Import 1 transaction', exact: true }).click();
    await heading(page, '1 transaction imported');
    await page.getByText('1 new account').waitFor();
  });

  test('rows are decided one by one, and bad ones say where they are', async () => {
    // The file is refused at first, and sent again without the bad rows.
    const page = await open('/import', { expected: /400/ });
    const rows = ['2026-09-01,Good,-1.00', '2026-09-31,Bad day,-2.00', '2026-09-03,Good too,-3.00'];
    await dropOn(page, table('september.csv', ...rows));
    await button(page, 'Import 2 transactions').waitFor();
    await button(page, 'Show them').click();
    const reason = page.getByText('Line 3, column "Date", value "2026-09-31": Not a date');
    await checkReadable(reason);
    await page.setViewportSize(phone);
    await checkReadable(reason);
    await page.setViewportSize(desktop);
    await page.getByRole('radio', { name: /^All/ }).check();
    await page.getByText('Good too').waitFor();
    await page.getByRole('grid').focus();
    await press(page, 'j', 'j', 'Control+ArrowUp', 'Alt+ArrowUp', 'Meta+ArrowUp', 'x');
    await button(page, 'Import 1 transaction').waitFor();
    await page.reload();
    await button(page, 'Import 1 transaction without an account').click();
    await page.getByText('1 row left out by choice').waitFor();
  });

  test('a file that fits two date orders is refused, and read by a choice', async () => {
    const page = await open('/import', { expected: /400/ });
    await dropOn(page, table('april.csv', '02/03/2026,Corner Grocer,-23.40'));
    await page.getByText('april.csv cannot be read').waitFor();
    await checkState(page, 'import-refused');
    await page.getByLabel('Dates').selectOption('d/m/y');
    await button(page, 'Read again').click();
    await page.getByText('2 Mar 2026').first().waitFor();
    // Now the other way round: the preview is made again at once.
    await page.getByRole('heading', { name: 'How the file is read' }).click();
    await page.getByLabel('Dates').selectOption('m/d/y');
    await page.getByText('3 Feb 2026').first().waitFor();
    // The panel stays open.
    await page.locator('.reading[open]').waitFor();
    await fillEnter(page.getByLabel('Account', { exact: true }), 'Piggy bank');
    await page.getByText('New account', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'How the file is read' }).click();
    await checkState(page, 'import-reading');
    await button(page, 'Import 1 transaction').click();
    await page.getByRole('link', { name: 'All imports' }).click();
    // Remembered for the next file of the kind.
    await dropOn(page, table('may.csv', '02/04/2026,Corner Grocer,-2.40'));
    await page.getByText('4 Feb 2026').first().waitFor();
    await page.locator('.reading summary').getByText('Remembered from an earlier').waitFor();
    await page.getByText('Account of your book').waitFor();
    const note = page.locator('.notice', { hasText: 'Is Piggy bank the right account?' });
    await checkState(page, 'import-guess');
    await note.getByRole('button', { name: 'Change' }).click();
    await enter(page, 'Cash drawer');
    await page.locator('p.file-name', { hasText: 'Cash drawer' }).waitFor();
    await note.waitFor({ state: 'detached' });
    await button(page, 'Import 1 transaction').click();
    await page.getByRole('link', { name: 'All imports' }).click();
    // Two accounts have such files now: neither is chosen.
    await dropOn(page, table('june.csv', '02/05/2026,Corner Grocer,-2.50'));
    await page.getByText('5 Feb 2026').first().waitFor();
    const choice = page.locator('.notice', { hasText: 'of several accounts. Which one is it?' });
    await checkState(page, 'import-choice');
    await press(page, 'Enter');
    await button(page, 'Import 1 transaction without an account').waitFor();
    assert.deepEqual(await choice.getByRole('button').allInnerTexts(), [
      'Cash drawer',
      'Piggy bank',
    ]);
    await choice.getByRole('button', { name: 'Piggy bank' }).click();
    await page.locator('p.file-name', { hasText: 'Piggy bank' }).waitFor();
    await choice.waitFor({ state: 'detached' });
  });

  test('a column that is not read stays out, and a row that was deleted comes back by a choice', async () => {
    const page = await open('/import');
    const name = 'reference.csv';
    const text = 'Date,Description,Amount,Category\n2026-07-01,Gone Shop,-1.00,Pastry\n';
    await dropOn(page, { name, text });
    await cell(page, 'Gone Shop').waitFor();
    await page.getByRole('heading', { name: 'How the file is read' }).click();
    const read = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByLabel('What Category holds').selectOption('Not read');
    await read;
    await cell(page, 'Gone Shop').waitFor();
    await button(page, 'Import 1 transaction').click();
    await heading(page, '1 transaction imported');
    const query = { start_date: '2026-07-01', end_date: '2026-07-01' };
    const all = () => send(page, 'GET /v2/transactions', { query });
    const made = (await all()).transactions.find(({ payee }) => payee === 'Gone Shop')!;
    assert.equal(made.category_id, null);
    await send(page, 'DELETE /v2/transactions/{id}', { path: { id: made.id } });
    await dropOn(page, { name, text });
    await page.getByText(`you deleted transaction ${made.id}`).waitFor();
    await page.getByRole('grid').focus();
    await press(page, 'j', 'x');
    await button(page, 'Import 1 transaction').click();
    await heading(page, '1 transaction imported');
  });

  test('the columns of a file that was refused are named', async () => {
    const page = await open('/import', { expected: /400/ });
    await dropOn(page, {
      name: 'odd.csv',
      text: 'Alpha,Beta,Gamma,Delta\n2026-05-01,Ferry,2,4\n',
    });
    await page.getByText('odd.csv cannot be read').waitFor();
    await page.getByRole('row').filter({ hasText: 'Beta' }).getByText('Ferry').waitFor();
    const hint = page.getByText('A file needs a date, and an amount');
    await hint.waitFor();
    for (const [column, key] of [
      ['Alpha', 'date'],
      ['Beta', 'payee'],
      ['Delta', 'amount'],
      ['Gamma', 'amount'],
    ] as const)
      await page.getByLabel(`What ${column} holds`).selectOption(key);
    assert.equal(await page.getByLabel('What Delta holds').inputValue(), '');
    await hint.waitFor({ state: 'detached' });
    await button(page, 'Read again').click();
    await cell(page, 'Ferry').waitFor();
    await button(page, 'Import 1 transaction').waitFor();
  });

  test('what a file says is text: names, payees and problems with markup', async () => {
    const page = await open('/import', { expected: /400/ });
    const hostile = '<img src=x onerror=alert(1)>';
    await dropOn(
      page,
      table(`${hostile}.csv`, `2026-08-01,${hostile}\u202e<script>,-1.00`),
      table(`${hostile}-bad.csv`, `${hostile},Shop,-1.00`),
      { name: 'empty.csv', text: '' },
    );
    await heading(page, `${hostile}.csv`);
    await cell(page, hostile).waitFor();
    await page.getByRole('link', { name: 'Import' }).first().click();
    await page.getByText('The file is empty').waitFor();
    await page.locator('main').getByText(`${hostile}-bad.csv`).first().waitFor();
    assert.equal(await page.locator('main img, main script').count(), 0);
  });

  test('a table is pasted, and a file that is too large is refused in words', async () => {
    const page = await open('/import', { expected: /413/ });
    await page.route('**/coffer/imports', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 413, json: { message: 'Too large', errors: [] } })
        : route.continue(),
    );
    await dropOn(page, table('large.csv', '2026-11-02,Corner Grocer,-23.40'));
    await page.getByText('The file is larger than 50 MB').waitFor();
    await page.unroute('**/coffer/imports');
    await page.evaluate((text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    }, table('', '2026-06-01,Ferry,-2.00').text);
    await heading(page, 'pasted.csv');
    await cell(page, 'Ferry').waitFor();
  });

  test('on a phone a row is two lines, and a touch turns it around', async () => {
    const page = await open('/import', { isPhone: true });
    const file = table('phone.csv', '2026-07-01,Kiosk,-1.00', '2026-07-02,Ferry,-2.00');
    await dropOn(page, file);
    await cell(page, 'Ferry').tap();
    const main = button(page, 'Import 1 transaction');
    await main.waitFor();
    await checkTouchSize(main);
    await main.tap();
    await heading(page, '1 transaction imported');
    await dropOn(page, { ...file, text: file.text.replace(/2026-07-02.*\n/, '') });
    await button(page, 'Nothing to import').waitFor();
    assert.match((await page.locator('main').textContent()) ?? '', /Known 1/);
  });

  test('progress is counted, and says whether the rows are read or imported', async () => {
    const page = await open('/import');
    await dropOn(page, table('some.csv', '2026-08-05,Miller,-7.00'));
    await button(page, 'Import 1 transaction').waitFor();
    const one = { path: { id: Number(/\d+$/.exec(page.url())![0]) } };
    const path = urlOf('GET /coffer/imports/{id}', one);
    const record = await send(page, 'GET /coffer/imports/{id}', one);
    const cases = [
      [
        'reading',
        { step: 'comparing', done: 1, total: 4 },
        'Comparing with your book: 1 of 4',
        0.25,
      ],
      ['committing', { step: 'comparing', done: 3, total: 4 }, 'Importing: 3 of 4', 0.75],
      ['committing', { step: 'reading', done: 1, total: 2 }, 'Reading', 0.5],
    ] as const;
    for (const [status, progress, name, part] of cases) {
      const json = { ...record, preview: { ...record.preview, status, progress } };
      await page.route(`**${path}`, (route) => route.fulfill({ json }));
      await page.reload();
      const bar = page.getByRole('progressbar', { name });
      assert.equal(await bar.evaluate((each) => (each as HTMLProgressElement).position), part);
    }
    // As if all of its rows had been known.
    const json = { ...record, preview: null, status: 'imported', imported: 0 };
    await page.route(`**${path}`, (route) => route.fulfill({ json }));
    await page.reload();
    await heading(page, 'Nothing was new: your book had all of it');
    assert.equal(await page.getByRole('link', { name: 'Show them' }).count(), 0);
  });

  const count = isLong ? 100_000 : 10_000;
  test(`${count} rows are read with progress, and only some of them are in the page`, async () => {
    const page = await open('/import');
    await page.evaluate(() => {
      // The progress may be gone before this process, which serves too, comes to look at it.
      new MutationObserver(() => {
        if (document.querySelector('progress') !== null) document.body.dataset['worked'] = 'yes';
      }).observe(document.body, { childList: true, subtree: true });
    });
    const rows = Array.from({ length: count }, (_, n) => {
      const day = new Date(Date.UTC(2020, 0, 1 + Math.floor(n / 60))).toISOString().slice(0, 10);
      return `${day},Shop ${n},-${(n % 90) + 1}.50`;
    });
    await dropOn(page, table('years.csv', ...rows));
    // How long it takes does not matter, on a busy machine either.
    const named = button(page, `Import ${count.toLocaleString('en')} transactions`);
    await named.waitFor({ timeout: isLong ? 240_000 : 60_000 });
    assert.equal(await page.evaluate(() => document.body.dataset['worked']), 'yes');
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.getByText(`Shop ${count - 1}`).waitFor();
    assert.ok((await page.getByRole('row').count()) < 80);
  });
});
