import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkTouchSize, choose } from './acts.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite, type OpenOptions } from './suite.ts';

webSuite('reports', 3000, ({ open }) => {
  async function openDrawn(path: string, options: OpenOptions = {}) {
    const page = await open(path, options);
    await page.locator('.chart svg').first().waitFor();
    return page;
  }

  test('a group folds open, and its figures lead to its transactions with the same sum', async () => {
    const page = await openDrawn('/reports/spending');
    const fold = page.getByRole('button', { name: 'Home' });
    const row = page.getByRole('row').filter({ has: fold });
    const sum = await row.locator('td').first().innerText();
    assert.equal(await page.locator('tr.member').count(), 0);
    await fold.press('Enter');
    await page.locator('tr.member').nth(1).waitFor();
    assert.equal(await fold.getAttribute('aria-expanded'), 'true');
    await checkScreen(page, 'reports-spending');
    await row.locator('td a').first().click();
    await page.waitForURL(/\/transactions\?/);
    await page.locator('.hits', { hasText: sum }).waitFor();
  });

  test('all groups open and close at once, with one of a single category', async () => {
    const page = await openDrawn('/reports/spending?year=2020');
    const folded = page.locator('tbody [aria-expanded="false"]');
    const groups = await folded.count();
    await page.getByRole('button', { name: 'Open all groups' }).click();
    await page.getByRole('button', { name: 'Close all groups' }).waitFor();
    assert.deepEqual([await folded.count(), groups > 3], [0, true]);
    await page.getByRole('button', { name: 'Close all groups' }).click();
    await page.getByRole('button', { name: 'Open all groups' }).waitFor();
    assert.equal(await folded.count(), groups);
  });

  test('a chart is one stop of Tab: arrows move, the tooltip follows, Enter shows the transactions', async () => {
    const page = await openDrawn('/reports/spending?months=6');
    const focused = (month: string): Promise<void> =>
      page.locator(`[aria-label^="${month}: $"]:focus`).waitFor();
    await page.getByRole('button', { name: 'Save this report' }).focus();
    await page.keyboard.press('Tab');
    await focused('October 2026');
    await page.keyboard.press('ArrowLeft');
    await focused('September 2026');
    await page.locator('.chart-tooltip-title', { hasText: 'September 2026' }).waitFor();
    await page.keyboard.press('Home');
    await focused('May 2026');
    await page.locator('.chart-tooltip-title', { hasText: 'May 2026' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.chart-tooltip').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/transactions\?q=2026-05&counts=spending$/);
    await page.goBack();
    await page.getByLabel('Period').selectOption('year=2020');
    await page.waitForURL(/year=2020/);
    await page.locator('th', { hasText: 'Dec 20' }).waitFor();
  });

  test('any days, by payee, with the year before, are a table and a picture that can be saved', async () => {
    const page = await openDrawn('/reports/spending?months=3');
    await page.getByLabel('Period').selectOption('From … to …');
    await page.getByLabel('First day', { exact: true }).fill('10/9/2026');
    await page.waitForURL(/from=2026-09-10&to=2026-10-31/);
    await page.getByLabel('Lines').selectOption('Payees');
    await page.getByLabel('With the year before').check();
    await page.waitForURL(/by=payee&compare=year/);
    await page.getByRole('columnheader', { name: 'Year before' }).waitFor();
    await page.locator('[data-figure="before"]').waitFor();
    await checkState(page, 'reports-payees');
    const total = await page.locator('tfoot td').first().innerText();
    const save = page.getByRole('button', { name: 'Save this report' });
    const saved = async (action: string) => {
      const download = page.waitForEvent('download');
      await choose(save, action);
      const file = await download;
      return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
    };
    const table = await saved('Table as CSV');
    assert.equal(table.name, 'spending-2026-09-10-2026-10-31.csv');
    const lines = table.bytes.toString().trimEnd().split('\r\n');
    assert.equal(lines[0], ',Payee,Total,Year before,2026-09,2026-10');
    const sums = lines.slice(1, -1).map((line) => Number(/,(-?[\d.]+),/.exec(line)![1]));
    const drawn = await page.locator('.chart-legend li').count();
    const rest = sums.slice(drawn - 1).reduce((all, each) => all + each, 0);
    assert.ok(rest <= sums[0]!, `${rest} of others, ${sums.slice(0, drawn - 1).join(' ')}`);
    const [, , sum] = lines.at(-1)!.split(',');
    assert.equal(`$${Number(sum).toLocaleString('en-GB', { minimumFractionDigits: 2 })}`, total);
    const picture = await saved('Chart as picture');
    assert.equal(picture.name, 'spending-2026-09-10-2026-10-31.png');
    assert.equal(picture.bytes.toString('latin1', 1, 4), 'PNG');
    assert.ok(picture.bytes.length > 10_000, `${picture.bytes.length} bytes`);
  });

  test('payees of whom the small ones are most are ranked, with the others as a text', async () => {
    const page = await openDrawn('/reports/spending?months=12&by=payee', { isPhone: true });
    const chart = page.locator('figure .chart');
    const numberIn = (text: string): number =>
      Number(/\$([\d,.]+)$/.exec(text)![1]!.replaceAll(',', ''));
    const bars = chart.getByRole('link');
    const names = await bars.evaluateAll((all) =>
      all.map((bar) => bar.getAttribute('aria-label')!),
    );
    const rest = await chart.getByText(/^and \d+ more: /).textContent();
    assert.equal(names.length, 12);
    const sums = [...names, rest!].map(numberIn);
    const total = numberIn(await page.locator('[data-figure="spent"]').innerText());
    const cents = (value: number): number => Math.round(value * 100);
    assert.equal(
      sums.reduce((all, each) => all + cents(each), 0),
      cents(total),
    );
    assert.equal(await page.locator('.chart-legend').count(), 0);
    await checkState(page, 'reports-ranked');
    await bars.first().tap();
    await page.waitForURL(/payee=/);
    await page.locator('.hits', { hasText: names[0]!.split(': ')[1]! }).waitFor();
  });

  for (const report of ['spending', 'net-worth', 'flow'])
    test(`privacy mode hides the amounts of ${report} in charts, their labels and tooltips`, async () => {
      const page = await openDrawn(`/reports/${report}`);
      if (report !== 'spending') await checkState(page, `reports-${report}`);
      const years = page.getByLabel('Period').locator('option[value^="year="]');
      assert.deepEqual((await years.allInnerTexts()).slice(-2), ['2017', '2016']);
      await page.getByRole('button', { name: 'Hide amounts' }).click();
      await page.locator('[data-mark="0"]').focus();
      await page.locator('.chart-tooltip').waitFor();
      const stops = await page.locator('[data-mark][tabindex="0"]').evaluateAll((marks) => {
        return [...new Set(marks.map((mark) => mark.getAttribute('data-mark')))];
      });
      assert.deepEqual(stops, ['0'], 'the mark with the focus is the one that Tab reaches');
      const shown = await page.locator('main').evaluate((main) => {
        const labels = [...main.querySelectorAll('[aria-label]')];
        return [
          (main as HTMLElement).innerText,
          ...labels.map((each) => each.getAttribute('aria-label')),
        ].join(' ');
      });
      assert.doesNotMatch(shown, /\$|\d[.,]\d\d/, report);
    });

  test('a flow is drawn in a chart of ten rem and more', async () => {
    const page = await openDrawn('/reports/flow');
    const marks = page.locator('[data-mark]');
    await marks.first().waitFor();
    const chart = page.locator('.chart').first();
    for (const [width, isDrawn] of [
      [159, false],
      [160, true],
    ] as const) {
      await chart.evaluate((element, px) => (element.style.width = `${px}px`), width);
      await marks.first().waitFor({ state: isDrawn ? 'attached' : 'detached' });
    }
  });

  test('by touch at 360 px: tabs, period and a bar are large enough and work', async () => {
    const page = await openDrawn('/reports/spending', { isPhone: true });
    const flow = page.getByRole('link', { name: 'Flow' });
    await checkTouchSize(flow, page.getByLabel('Period'));
    await flow.tap();
    await page.waitForURL(/\/reports\/flow/);
    await page.getByRole('link', { name: /^Salary: / }).tap();
    await page.waitForURL(/\/transactions\?/);
  });
});
