import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, settled, skip } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

/** The label of the mark that has the focus. */
function focusedLabel(page: Page): Promise<string | null> {
  return page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
}

describe('reports', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 3000 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });
  const open = async (path: string, options = {}) => {
    const visit = await openVisit(browser, served, path, options);
    await visit.page.locator('.chart svg').first().waitFor();
    return visit;
  };

  test('spending, in every mode', async () => {
    const visit = await open('/reports/spending');
    await visit.page.getByRole('button', { name: 'Home' }).click();
    await checkScreen(visit, 'reports-spending');
    await closeVisit(visit);
  });

  test('net worth, in every mode', async () => {
    const visit = await open('/reports/net-worth');
    await checkState(visit, 'reports-net-worth');
    await closeVisit(visit);
  });

  test('the flow, in every mode', async () => {
    const visit = await open('/reports/flow');
    await checkState(visit, 'reports-flow');
    await closeVisit(visit);
  });

  test('a chart is one stop of Tab: arrows move, the tooltip follows, Enter shows the transactions', async () => {
    const visit = await open('/reports/spending?months=6');
    const { page } = visit;
    await page.getByLabel('Period').focus();
    await page.keyboard.press('Tab');
    assert.match((await focusedLabel(page)) ?? '', /^October 2026: \$/);
    await page.keyboard.press('ArrowLeft');
    assert.match((await focusedLabel(page)) ?? '', /^September 2026: \$/);
    await page.locator('.chart-tooltip-title', { hasText: 'September 2026' }).waitFor();
    await page.keyboard.press('Home');
    assert.match((await focusedLabel(page)) ?? '', /^May 2026: \$/);
    await page.keyboard.press('Escape');
    await page.locator('.chart-tooltip').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/transactions\?q=2026-05&category=/);
    await page.goBack();
    await page.getByLabel('Period').selectOption('year=2020');
    await page.waitForURL(/year=2020/);
    await page.locator('th', { hasText: 'Dec 20' }).waitFor();
    assert.deepEqual(visit.errors, []);
    await closeVisit(visit);
  });

  test('a group folds open, and its figures lead to its transactions with the same sum', async () => {
    const visit = await open('/reports/spending');
    const { page } = visit;
    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Home' }) });
    const sum = await row.locator('td').first().innerText();
    assert.equal(await page.locator('tr.member').count(), 0);
    await page.getByRole('button', { name: 'Home' }).press('Enter');
    assert.equal(
      await page.getByRole('button', { name: 'Home' }).getAttribute('aria-expanded'),
      'true',
    );
    assert.ok((await page.locator('tr.member').count()) > 1);
    await row.locator('td a').first().click();
    await page.waitForURL(/\/transactions\?/);
    await page.locator('.hits', { hasText: sum }).waitFor();
    await closeVisit(visit);
  });

  test('privacy mode hides amounts in charts, their labels and tooltips', async () => {
    for (const report of ['spending', 'net-worth', 'flow']) {
      const visit = await open(`/reports/${report}`);
      const { page } = visit;
      await page.getByRole('button', { name: 'Hide amounts' }).click();
      await page.locator('[data-mark="0"]').focus();
      await page.locator('.chart-tooltip').waitFor();
      const shown = await page.locator('main').evaluate((main) => {
        const labels = [...main.querySelectorAll('[aria-label]')];
        return (
          (main as HTMLElement).innerText +
          labels.map((each) => each.getAttribute('aria-label')).join(' ')
        );
      });
      assert.doesNotMatch(shown, /\$|\d[.,]\d\d/, report);
      await closeVisit(visit);
    }
  });

  test('by touch at 360 px: tabs, period and a bar are large enough and work', async () => {
    const visit = await open('/reports/spending', { viewport: phone, hasTouch: true });
    const { page } = visit;
    for (const target of [page.getByRole('link', { name: 'Flow' }), page.getByLabel('Period')]) {
      const box = await target.boundingBox();
      assert.ok(box !== null && box.height >= 44, `${box?.height} px`);
    }
    await page.getByRole('link', { name: 'Flow' }).tap();
    await page.waitForURL(/\/reports\/flow/);
    await settled(page);
    await page.locator('[data-mark]').first().waitFor();
    await page.getByRole('link', { name: /^Salary: / }).tap();
    await page.waitForURL(/\/transactions\?/);
    await closeVisit(visit);
  });
});
