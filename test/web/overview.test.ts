import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTouchSize, send } from './acts.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite, type OpenOptions } from './suite.ts';

const money = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
const dollars = (amount: number): string => new Intl.NumberFormat('en-GB', money).format(amount);

webSuite('the overview', 3000, ({ open }) => {
  async function openDrawn(options: OpenOptions = {}) {
    const page = await open('/', options);
    await page.locator('.overview .chart svg').nth(1).waitFor();
    return page;
  }

  test('says the figures of the summary and of the accounts', async () => {
    const page = await openDrawn();
    await checkScreen(page, 'overview');
    const query = { start_date: '2026-10-01', end_date: '2026-10-31', include_totals: true };
    const { outflow } = (await send(page, 'GET /v2/summary', { query })).totals!;
    const spent =
      outflow.other_activity +
      outflow.recurring_activity +
      outflow.uncategorized +
      outflow.uncategorized_recurring;
    assert.equal(await page.locator('[data-figure="spending"]').innerText(), dollars(spent));

    const [manual, plaid, crypto, synced] = await Promise.all([
      send(page, 'GET /v2/manual_accounts', {}),
      send(page, 'GET /v2/plaid_accounts', {}),
      send(page, 'GET /v2/crypto/manual', {}),
      send(page, 'GET /v2/crypto/synced', {}),
    ]);
    const accounts = [...manual.manual_accounts, ...plaid.plaid_accounts];
    const active = accounts.filter(({ status }) => status === 'active');
    const coins = [
      ...crypto.crypto_manual,
      ...synced.crypto_synced.flatMap(({ balances }) => balances),
    ];
    const worth = [
      ...active.map(({ type, to_base: base }) =>
        ['credit', 'loan'].includes(type) ? -base : base,
      ),
      ...coins.map(({ to_base: base }) => base!),
    ].reduce((sum, each) => sum + each);
    assert.equal(await page.locator('[data-figure="net-worth"]').innerText(), dollars(worth));
  });

  test('each figure leads to what is behind it', async () => {
    const page = await openDrawn();
    const figures: readonly (readonly [string, RegExp])[] = [
      ['[data-figure="net-worth"]', /\/reports\/net-worth$/],
      ['[data-figure="spending"]', /\/transactions\?q=2026-10&counts=spending$/],
      ['[data-figure="waiting"]', /\/transactions\?status=unreviewed$/],
      [
        '.categories .overview-row >> nth=0',
        /\/transactions\?q=2026-10&category=\d+&counts=spending$/,
      ],
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
  });

  test('by touch at 360 px, its lines are large enough', async () => {
    const page = await openDrawn({ isPhone: true });
    await page.locator('.accounts .overview-row').first().waitFor();
    await checkTouchSize(...(await page.locator('a.overview-row, .inbox .button').all()));
    await page.locator('.inbox .button').tap();
    await page.waitForURL('/review');
  });
});

webSuite('the overview of an empty book', 0, ({ open }) => {
  test('says what to do next', async () => {
    const page = await open('/');
    await page.getByRole('heading', { name: 'Drop a bank file' }).waitFor();
    const hrefs = await page
      .locator('.empty .actions a')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    assert.deepEqual(hrefs, ['/import', '/accounts']);
    await checkState(page, 'overview-empty');
  });
});
