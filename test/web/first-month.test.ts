import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { active, drop, readUntil, said, send } from './acts.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

/** 30 rows of 12 payees: of six one row, of six four; and what a person types to find the category of each. */
const payees: readonly (readonly [name: string, rows: number, category: string])[] = [
  ...(['Corner Grocer', 'Harbour Café', 'City Tram'] as const).map(
    (name, at) => [name, 4, ['groc', 'rest', 'public'][at]!] as const,
  ),
  ...(['Fuel Stop', 'Green Pharmacy', 'Book Nook'] as const).map(
    (name, at) => [name, 4, ['fuel', 'heal', 'leis'][at]!] as const,
  ),
  ['Landlord', 1, 'rent'],
  ['Power & Light', 1, 'elec'],
  ['Fibre Net', 1, 'inter'],
  ['Safe Insurance', 1, 'insurance'],
  ['Payroll', 1, 'sal'],
  ['Shirt Shop', 1, 'clo'],
];

const statement = [
  'Date,Description,Amount',
  ...payees.flatMap(([name, rows], at) =>
    Array.from({ length: rows }, (_each, row) => {
      const day = String(1 + ((at * 4 + row) % 28)).padStart(2, '0');
      return `2026-10-${day},${name},${name === 'Payroll' ? '' : '-'}${at + 10}.${row}0`;
    }),
  ),
].join('\n');

webSuite('the first month of an empty book', 0, ({ open }) => {
  test('a bank file becomes a reviewed and categorised month in at most 60 actions', async () => {
    const page = await open('/');
    let actions = 0;
    const act = async (work: Promise<unknown>): Promise<void> => {
      actions += 1;
      await work;
    };
    const key = (name: string): Promise<void> => act(page.keyboard.press(name));
    await act(drop(page.locator('body'), { name: 'october.csv', text: statement }));
    await page.getByRole('heading', { name: 'october.csv' }).waitFor();
    await giveAccount(page, act);
    await act(page.getByRole('button', { name: 'Import 30 transactions' }).click());
    await page.getByRole('heading', { name: '30 transactions imported' }).waitFor();
    await checkState(page, 'import-starter-sets');
    await act(page.getByRole('button', { name: 'Use “Household”' }).click());
    await said(page, '18 categories created');
    await act(page.getByRole('main').getByRole('link', { name: 'Review' }).click());
    await page.locator('.row.active .name').waitFor();
    for (let left = 30; left > 0;) {
      const payee = await page.locator('.row.active .name').innerText();
      const [, rows, category] = payees.find(([name]) => name === payee)!;
      if (rows > 1) {
        await key('Shift+A');
        await page.getByText(`${rows} selected`).waitFor();
      }
      await key('c');
      await page.locator('.row.active input:focus').waitFor();
      await act(page.keyboard.type(category));
      await key('Enter');
      await active(page, 'payee', payee);
      await page
        .locator('.row.active [data-field="category"] .none')
        .waitFor({ state: 'detached' });
      await key('e');
      left -= rows;
      const text = left === 1 ? '1 transaction to review' : `${left} transactions to review`;
      if (left > 0) await page.getByRole('status').filter({ hasText: text }).waitFor();
    }
    await page.getByRole('heading', { name: 'All reviewed' }).waitFor();
    assert.ok(actions <= 60, `${actions} actions`);
    const all = { query: { limit: 100 } };
    await readUntil(page, 'GET /coffer/transactions', all, ({ transactions }) => {
      assert.equal(transactions.length, 30);
      return transactions.every((row) => row.category_id !== null && row.status === 'reviewed');
    });
  });

  test('a set is offered on the screen of categories, and is taken back whole', async () => {
    const page = await open('/categories');
    const query = { format: 'flattened' } as const;
    for (const { id } of (await send(page, 'GET /v2/categories', { query })).categories)
      await send(page, 'DELETE /v2/categories/{id}', { path: { id }, query: { force: true } });
    await page.reload();
    await checkScreen(page, 'categories-empty');
    await said(page, '6 categories created', page.getByRole('button', { name: 'Use “Minimal”' }));
    await page.getByRole('row', { name: 'Groceries' }).waitFor();
    await said(page, 'The last change is taken back', 'u');
    await page.getByRole('button', { name: 'Use “Freelancer”' }).waitFor();
  });
});

/** Says into which account the file goes. */
async function giveAccount(
  page: Page,
  act: (work: Promise<unknown>) => Promise<void>,
): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Account' }).first();
  if (!(await field.isVisible())) return;
  await act(field.fill('Checking'));
  await act(field.press('Enter'));
}
