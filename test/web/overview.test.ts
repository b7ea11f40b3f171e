import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, settled, skip } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

/** Reads JSON with the session of the page. */
function get<T>(page: Page, path: string): Promise<T> {
  return page.evaluate(async (url) => (await fetch(url)).json() as Promise<T>, path);
}

function dollars(amount: number): string {
  return new Intl.NumberFormat('en-GB', {
    ...{ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
  }).format(amount);
}

interface Totals {
  readonly totals: { readonly outflow: Readonly<Record<string, number>> };
}

describe('the overview', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 3000 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });

  test('in every mode', async () => {
    const visit = await openVisit(browser, served, '/');
    await visit.page.locator('.overview .chart svg').nth(1).waitFor();
    await checkScreen(visit, 'overview');
    await closeVisit(visit);
  });

  test('says the figures of the summary and of the accounts', async () => {
    const visit = await openVisit(browser, served, '/');
    const { page } = visit;
    await page.locator('.overview .chart svg').nth(1).waitFor();
    const range = 'start_date=2026-10-01&end_date=2026-10-31&include_totals=true';
    const { outflow } = (await get<Totals>(page, `/v2/summary?${range}`)).totals;
    const spent =
      outflow['other_activity']! +
      outflow['recurring_activity']! +
      outflow['uncategorized']! +
      outflow['uncategorized_recurring']!;
    assert.equal(await page.locator('[data-figure="spending"]').innerText(), dollars(spent));

    const manual = await get<{
      manual_accounts: { type: string; to_base: number; status: string }[];
    }>(...([page, '/v2/manual_accounts'] as const));
    const plaid = await get<{
      plaid_accounts: { type: string; to_base: number; status: string }[];
    }>(...([page, '/v2/plaid_accounts'] as const));
    const crypto = await get<{ crypto_manual: { to_base: number }[] }>(page, '/v2/crypto/manual');
    const synced = await get<{ crypto_synced: { balances: { to_base: number }[] }[] }>(
      ...([page, '/v2/crypto/synced'] as const),
    );
    const owed = (type: string): number => (['credit', 'loan'].includes(type) ? -1 : 1);
    const worth = [
      ...[...manual.manual_accounts, ...plaid.plaid_accounts]
        .filter(({ status }) => status === 'active')
        .map(({ type, to_base: base }) => owed(type) * base),
      ...crypto.crypto_manual.map(({ to_base: base }) => base),
      ...synced.crypto_synced.flatMap(({ balances }) => balances.map((each) => each.to_base)),
    ].reduce((sum, each) => sum + each, 0);
    assert.equal(await page.locator('[data-figure="net-worth"]').innerText(), dollars(worth));
    await closeVisit(visit);
  });

  test('each figure leads to what is behind it', async () => {
    const visit = await openVisit(browser, served, '/');
    const { page } = visit;
    const figures: readonly (readonly [string, RegExp])[] = [
      ['[data-figure="net-worth"]', /\/reports\/net-worth$/],
      ['[data-figure="spending"]', /\/transactions\?q=2026-10$/],
      ['[data-figure="waiting"]', /\/transactions\?status=unreviewed$/],
      ['.categories .overview-row >> nth=0', /\/transactions\?q=2026-10&category=\d+$/],
      ['.upcoming .overview-row >> nth=0', /\/transactions\?recurring=\d+$/],
      ['.accounts .overview-row >> nth=0', /\/transactions\?bank=\d+$/],
      ['.inbox .button', /\/review$/],
    ];
    for (const [figure, address] of figures) {
      await page.locator(figure).press('Enter');
      await page.waitForURL(address);
      await page.goBack();
      await page.locator('.overview').waitFor();
    }
    assert.deepEqual(visit.errors, []);
    await closeVisit(visit);
  });

  test('by touch at 360 px, its lines are large enough', async () => {
    const visit = await openVisit(browser, served, '/', { viewport: phone, hasTouch: true });
    const { page } = visit;
    await page.locator('.accounts .overview-row').first().waitFor();
    for (const line of await page.locator('a.overview-row, .inbox .button').all()) {
      const box = await line.boundingBox();
      assert.ok(box !== null && box.height >= 44, `${await line.innerText()}: ${box?.height} px`);
    }
    await page.locator('.inbox .button').tap();
    await page.waitForURL(/\/review$/);
    await settled(page);
    await closeVisit(visit);
  });

  test('an empty book says what to do next', async () => {
    const empty = await serveBook({ transactions: 0 });
    try {
      const visit = await openVisit(browser, empty, '/');
      const { page } = visit;
      await page.getByRole('heading', { name: 'Drop a bank file' }).waitFor();
      const hrefs = page.locator('.empty .actions a');
      assert.deepEqual(
        await hrefs.evaluateAll((all) => all.map((each) => each.getAttribute('href'))),
        ['/import', '/accounts'],
      );
      await checkState(visit, 'overview-empty');
      await closeVisit(visit);
    } finally {
      await empty.close();
    }
  });
});
