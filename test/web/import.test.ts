import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, skip } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

const statements = join(import.meta.dirname, '../../../shared/data/statements');

/** A file as a person gives it to the page. */
interface Given {
  readonly name: string;
  readonly text: string;
}

const table = (rows: readonly string[]): string => `Date,Description,Amount\n${rows.join('\n')}\n`;
const november: Given = {
  name: 'november.csv',
  text: table(['2026-11-02,Corner Grocer,-23.40', '2026-11-03,Café Müller,-4.20']),
};

/** Drops files on the window, as a file manager does. */
async function drop(page: Page, files: readonly Given[]): Promise<void> {
  await page.evaluate((given) => {
    const dataTransfer = new DataTransfer();
    for (const { name, text } of given) dataTransfer.items.add(new File([text], name));
    for (const type of ['dragover', 'drop'])
      document.body.dispatchEvent(
        new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
      );
  }, files);
}

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name });
const shown = (page: Page): Promise<string | null> => page.locator('main').textContent();

describe('the screen that imports', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 500 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });

  test('a file is dropped on any screen, imported by Enter, and undone by u', async () => {
    const visit = await openVisit(browser, served, '/');
    const { page } = visit;
    await drop(page, [november]);
    await heading(page, 'november.csv').waitFor();
    await page.getByRole('gridcell', { name: 'Corner Grocer' }).waitFor();
    await checkState(visit, 'import-preview');
    await page.getByRole('button', { name: 'Import 2 transactions' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '2 transactions imported' }).waitFor();
    await checkState(visit, 'import-result');
    const link = await page.getByRole('link', { name: 'Show them' }).getAttribute('href');
    assert.match(link ?? '', /^\/transactions\?import=\d+$/);
    await page.keyboard.press('u');
    await page.getByRole('heading', { name: 'This import is undone' }).waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('heading', { name: '2 transactions imported' }).waitFor();
    await page.getByRole('link', { name: 'All imports' }).click();
    await page.getByRole('button', { name: 'Undo the import of november.csv' }).waitFor();
    await checkScreen(visit, 'import');
    await closeVisit(visit);
  });

  test('several files come one after another, and a reload loses no preview', async () => {
    const visit = await openVisit(browser, served, '/import');
    const { page } = visit;
    const text = (name: string): string => table([`2026-10-05,${name},-7.00`]);
    await drop(page, [
      { name: 'one.csv', text: text('Baker') },
      { name: 'two.csv', text: text('Butcher') },
    ]);
    await heading(page, 'one.csv').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Next file: two.csv' }).click();
    await heading(page, 'two.csv').waitFor();
    await page.reload();
    await page.getByRole('gridcell', { name: 'Butcher' }).waitFor();
    await page.goto(`${served.origin}/import`);
    await page.getByRole('link', { name: 'Show two.csv' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('two.csv was discarded').waitFor();
    await closeVisit(visit);
  });

  test('rows are decided one by one, and bad ones say where they are', async () => {
    const visit = await openVisit(browser, served, '/import');
    const { page } = visit;
    const rows = ['2026-09-01,Good,-1.00', '2026-09-31,Bad day,-2.00', '2026-09-03,Good too,-3.00'];
    await drop(page, [{ name: 'september.csv', text: table(rows) }]);
    await page.getByRole('button', { name: 'Import 2 transactions' }).waitFor();
    await page.getByRole('button', { name: 'Show them' }).click();
    await page.getByText('Line 3, column "Date", value "2026-09-31": Not a date').waitFor();
    await page.getByRole('radio', { name: /^All/ }).check();
    await page.getByText('Good too').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Import 1 transaction' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Import 1 transaction' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 row left out by choice').waitFor();
    await closeVisit(visit);
  });

  test('a file that fits two date orders is refused, and read by a choice', async () => {
    const visit = await openVisit(browser, served, '/import');
    const { page } = visit;
    await drop(page, [{ name: 'april.csv', text: table(['02/03/2026,Corner Grocer,-23.40']) }]);
    await page.getByText('april.csv cannot be read').waitFor();
    // The browser itself reports the status in the console.
    assert.deepEqual(
      visit.errors.filter((error) => !error.includes('400')),
      [],
    );
    visit.errors.length = 0;
    await checkState(visit, 'import-refused');
    await page.getByLabel('Dates').selectOption('d/m/y');
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByText('2 Mar 2026').first().waitFor();
    // Now the other way round: the preview is made again at once.
    await page.getByRole('heading', { name: 'How the file is read' }).click();
    await page.getByLabel('Dates').selectOption('m/d/y');
    await page.getByText('3 Feb 2026').first().waitFor();
    await page.getByLabel('Account', { exact: true }).fill('Piggy bank');
    await page.keyboard.press('Enter');
    await page.getByText('New account', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'How the file is read' }).click();
    await checkState(visit, 'import-reading');
    await page.getByRole('button', { name: 'Import 1 transaction' }).click();
    await page.getByRole('link', { name: 'All imports' }).click();
    // Remembered for the next file of the kind.
    await drop(page, [{ name: 'may.csv', text: table(['02/04/2026,Corner Grocer,-2.40']) }]);
    await page.getByText('4 Feb 2026').first().waitFor();
    await page.getByText('Account of your book').waitFor();
    await closeVisit(visit);
  });

  test('what a file says is text: names, payees and problems with markup', async () => {
    const visit = await openVisit(browser, served, '/import');
    const { page } = visit;
    const hostile = '<img src=x onerror=alert(1)>';
    await drop(page, [
      { name: `${hostile}.csv`, text: table([`2026-08-01,${hostile}\u202e<script>,-1.00`]) },
      { name: `${hostile}-bad.csv`, text: table([`${hostile},Shop,-1.00`]) },
      { name: 'empty.csv', text: '' },
    ]);
    await heading(page, `${hostile}.csv`).waitFor();
    await page.getByRole('gridcell', { name: hostile }).waitFor();
    await page.getByRole('link', { name: 'Import' }).first().click();
    await page.getByText('The file is empty').waitFor();
    assert.equal(await page.locator('main img, main script').count(), 0);
    assert.match((await shown(page)) ?? '', /<img src=x onerror=alert\(1\)>-bad\.csv/);
    await closeVisit(visit);
  });

  test('a table is pasted, and a file that is too large is refused in words', async () => {
    const visit = await openVisit(browser, served, '/import');
    const { page } = visit;
    await page.route('**/coffer/imports', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 413, json: { message: 'Too large', errors: [] } })
        : route.continue(),
    );
    await drop(page, [november]);
    await page.getByText('The file is larger than 50 MB').waitFor();
    await page.unroute('**/coffer/imports');
    await page.evaluate(
      (text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', text);
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
      },
      table(['2026-06-01,Ferry,-2.00']),
    );
    await heading(page, 'pasted.csv').waitFor();
    await page.getByRole('gridcell', { name: 'Ferry' }).waitFor();
    await closeVisit(visit);
  });

  test('on a phone a row is two lines, and a touch turns it around', async () => {
    const visit = await openVisit(browser, served, '/import', {
      ...{ viewport: phone, hasTouch: true, isMobile: true },
    });
    const { page } = visit;
    await drop(page, [
      { name: 'phone.csv', text: table(['2026-07-01,Kiosk,-1.00', '2026-07-02,Ferry,-2.00']) },
    ]);
    await page.getByRole('gridcell', { name: 'Ferry' }).tap();
    const main = page.getByRole('button', { name: 'Import 1 transaction' });
    await main.waitFor();
    const box = await main.boundingBox();
    assert.ok((box?.height ?? 0) >= 44);
    await main.tap();
    await page.getByRole('heading', { name: '1 transaction imported' }).waitFor();
    await closeVisit(visit);
  });

  test('a hundred thousand rows are read and imported with progress', async () => {
    const visit = await openVisit(browser, served, '/import');
    const { page } = visit;
    await page.evaluate(() => {
      // The progress may be gone before this process, which serves too, comes to look at it.
      new MutationObserver(() => {
        if (document.querySelector('progress') !== null) document.body.dataset['worked'] = 'yes';
      }).observe(document.body, { childList: true, subtree: true });
      const rows = Array.from({ length: 100_000 }, (_, n) => {
        const day = new Date(Date.UTC(2020, 0, 1 + Math.floor(n / 60))).toISOString().slice(0, 10);
        return `${day},Shop ${n},-${(n % 90) + 1}.50`;
      });
      const dataTransfer = new DataTransfer();
      const text = `Date,Description,Amount\n${rows.join('\n')}\n`;
      dataTransfer.items.add(new File([text], 'years.csv'));
      document.body.dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }),
      );
    });
    const main = page.getByRole('button', { name: 'Import 100,000 transactions' });
    await main.waitFor({ timeout: 60_000 });
    assert.equal(await page.evaluate(() => document.body.dataset['worked']), 'yes');
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.getByText('Shop 99999').waitFor();
    assert.ok((await page.getByRole('row').count()) < 80);
    await closeVisit(visit);
  });

  test(
    'a file of a bank is imported',
    { skip: !existsSync(statements) && 'missing: ../shared/data/statements' },
    async () => {
      const visit = await openVisit(browser, served, '/import');
      const { page } = visit;
      const text = readFileSync(join(statements, 'ofx1-sgml/bank_medium.ofx'), 'utf8');
      await drop(page, [{ name: 'bank_medium.ofx', text }]);
      await page.getByRole('button', { name: 'Import 3 transactions' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: '3 transactions imported' }).waitFor();
      await drop(page, [{ name: 'bank_medium.ofx', text }]);
      await page.getByRole('button', { name: 'Nothing to import' }).waitFor();
      assert.match((await shown(page)) ?? '', /Known 3/);
      await closeVisit(visit);
    },
  );
});
