import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTouchSize } from './acts.ts';
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
    await page.getByLabel('Period').focus();
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
    await page.waitForURL(/\/transactions\?q=2026-05&category=/);
    await page.goBack();
    await page.getByLabel('Period').selectOption('year=2020');
    await page.waitForURL(/year=2020/);
    await page.locator('th', { hasText: 'Dec 20' }).waitFor();
  });

  for (const report of ['spending', 'net-worth', 'flow'])
    test(`privacy mode hides the amounts of ${report} in charts, their labels and tooltips`, async () => {
      const page = await openDrawn(`/reports/${report}`);
      if (report !== 'spending') await checkState(page, `reports-${report}`);
      const years = page.getByLabel('Period').locator('option[value^="year="]');
      const first = report === 'net-worth' ? 2021 : 2016;
      assert.deepEqual((await years.allInnerTexts()).slice(-2), [`${first + 1}`, `${first}`]);
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
