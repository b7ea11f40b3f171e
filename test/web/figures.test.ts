import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { isLong } from '../../packages/core/src/testing/length.ts';
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
  await page.locator('.hits', { hasText: /\d/ }).waitFor();
  // The budget shows what was received without a sign, as income.
  const isOfBudget = href.includes('counts=posted');
  const expected = isOfBudget ? amount.replace(/^-/, '') : listed(amount, isIncome);
  const sum = async (): Promise<string | null> =>
    amountIn(
      (await page.locator('.hits').innerText()).replace(isOfBudget ? /^.*·|\+/g : /^.*·/, ''),
    );
  for (let tries = 0; tries < 20 && (await sum()) !== expected; tries += 1) await settled(page);
  assert.equal(await sum(), expected, href);
  await page.goBack();
  await settled(page);
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
      await page
        .locator('main a[href^="/transactions?"]')
        .nth(least - 1)
        .waitFor();
      // What a balance, a count or an expected amount leads to is not what it sums.
      const isSum = (figure: Figure | null): boolean => /[?&](counts)=/.test(figure?.href ?? '');
      const figures = (await figuresOf(page)).map((figure) => (isSum(figure) ? figure : null));
      const places = clicked(figures);
      assert.ok(places.length >= Math.min(least, 6), `${places.length} figures`);
      for (const place of places) await checkFigure(page, place, figures[place]!);
    });
});
