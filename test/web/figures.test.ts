import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { isLong } from '../../packages/core/src/testing/length.ts';
import { send } from './acts.ts';
import { settled } from './browser.ts';
import { webSuite } from './suite.ts';

/** An amount as a page shows it, as a decimal with a sign; null for a text without one. */
function amountIn(text: string): string | null {
  const found = /([-−+]?)[^\d-−+]{0,3}(\d[\d,]*\.\d\d)/.exec(text);
  if (found === null) return null;
  const [, sign = '', digits = ''] = found;
  return `${sign.replace('−', '-')}${digits.replaceAll(',', '')}`;
}

/** The amount that the list of a figure says: money received has a plus there. */
function listed(figure: string, isIncome: boolean): string {
  const isNegative = figure.startsWith('-');
  const digits = figure.replace(/^[-+]/, '');
  if (Number(digits) === 0) return digits;
  return isNegative === isIncome ? digits : `+${digits}`;
}

interface Figure {
  readonly href: string;
  readonly amount: string;
}

/** The links of a page to lists of transactions that are amounts, by their place among all links. */
async function figuresOf(page: Page): Promise<readonly (Figure | null)[]> {
  const links = await page.locator('main a[href^="/transactions?"]').evaluateAll((all) =>
    all.map((each) => ({
      href: each.getAttribute('href')!,
      text: `${each.getAttribute('aria-label') ?? ''} ${each.textContent}`,
    })),
  );
  return links.map(({ href, text }) => {
    const amount = amountIn(text);
    return amount === null ? null : { href, amount };
  });
}

/** Clicks a figure of a page and compares it with the sum of the list that opens. */
async function checkFigure(page: Page, place: number, { href, amount }: Figure): Promise<void> {
  const isIncome = href.includes('counts=income');
  await page.locator('main a[href^="/transactions?"]').nth(place).click();
  // The budget shows what was received without a sign, as income.
  const isOfBudget = href.includes('counts=posted');
  const expected = isOfBudget ? amount.replace(/^-/, '') : listed(amount, isIncome);
  const [, sign = '', digits = ''] = /^([-+]?)(.*)$/.exec(expected)!;
  const signs = { '-': '[-−]', '+': '\\+', '': isOfBudget ? '\\+?' : '' }[sign];
  const grouped = digits.replaceAll(/\B(?=(\d{3})+\.)/g, ',');
  const sum = new RegExp(`· *${signs}[^\\d-−+]{0,3}${grouped}(?!\\d)`);
  await page.locator('.hits').filter({ hasText: sum }).waitFor();
  await page.goBack();
  await settled(page);
}

/** The figures of a page, by their place among all its links, as soon as there are some. */
async function shownFigures(page: Page, least: number): Promise<readonly (Figure | null)[]> {
  await page
    .locator('main a[href^="/transactions?"]')
    .nth(least - 1)
    .waitFor();
  // What a balance, a count or an expected amount leads to is not what it sums.
  const isSum = (figure: Figure | null): boolean => /[?&](counts)=/.test(figure?.href ?? '');
  return (await figuresOf(page)).map((figure) => (isSum(figure) ? figure : null));
}

/** Places that are clicked: all in the long run, else the first ones and some of the others. */
function clicked(figures: readonly (Figure | null)[]): number[] {
  const places = figures.flatMap((figure, place) => (figure === null ? [] : [place]));
  const step = Math.max(1, Math.floor(places.length / 12));
  return isLong ? places : places.filter((_, at) => at % step === 0);
}

const pages: readonly (readonly [name: string, path: string, least: number])[] = [
  ['the overview', '/', 6],
  ['spending', '/reports/spending?months=3&compare=year', 30],
  ['spending of some days', '/reports/spending?from=2026-09-07&to=2026-10-20', 15],
  ['spending of all time', '/reports/spending?period=all', 60],
  ['spending by payee', '/reports/spending?months=3&by=payee', 60],
  ['spending by account', '/reports/spending?months=3&by=account', 10],
  ['spending by tag', '/reports/spending?months=3&by=tag', 10],
  ['the flow', '/reports/flow?year=2026', 20],
  ['the budget', '/budget/2026-10', 15],
];

webSuite('figures', 2000, ({ open }) => {
  for (const [name, path, least] of pages)
    test(`of ${name} are the sums of the lists that they lead to`, async () => {
      const page = await open(path);
      const figures = await shownFigures(page, least);
      const places = clicked(figures);
      assert.ok(places.length >= Math.min(least, 6), `${places.length} figures`);
      for (const place of places) await checkFigure(page, place, figures[place]!);
    });

  test('of the budget count transfers, as their lists do', async () => {
    const page = await open('/budget/2026-10');
    const before = await shownFigures(page, 15);
    const { manual_accounts: accounts } = await send(page, 'GET /v2/manual_accounts', {});
    const [from, to] = accounts.filter(({ currency }) => currency === 'usd').map(({ id }) => id);
    // The first line is a group.
    const category = Number(/category=([1-9]\d*)&counts=posted/.exec(before[1]!.href)![1]);
    const rows = [category, null].flatMap((category_id) =>
      [from!, to!].map((manual_account_id) => {
        const amount = manual_account_id === from ? '310' : '-300';
        return { date: '2026-10-09', amount, payee: 'Moved', manual_account_id, category_id };
      }),
    );
    const { transactions: added } = await send(page, 'POST /v2/transactions', {
      body: { transactions: rows },
    });
    for (const at of [0, 2]) {
      const body = { sent_id: added[at]!.id, received_id: added[at + 1]!.id };
      await send(page, 'POST /coffer/transfers', { body });
    }
    await page.reload();
    const figures = await shownFigures(page, 15);
    const changed = figures.flatMap((figure, place) =>
      figure?.amount === before.find((each) => each?.href === figure?.href)?.amount ? [] : [place],
    );
    assert.equal(changed.length, 3, 'the category, its group, and what has none');
    for (const place of changed) await checkFigure(page, place, figures[place]!);
  });
});
