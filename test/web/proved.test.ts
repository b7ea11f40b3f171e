import { test } from 'node:test';
import { choose, readUntil, said, send } from './acts.ts';
import { checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

webSuite('proved balances', 100, ({ open }) => {
  test('a change of what one depends on is asked for, by an edit and by a merge', async () => {
    const page = await open('/transactions', { expected: /409/ });
    const values = { type: 'cash', currency: 'usd', balance: 100 } as const;
    const [account] = await Promise.all(
      ['Proved', 'Other'].map((name) =>
        send(page, 'POST /v2/manual_accounts', { body: { name, ...values } }),
      ),
    );
    const { id } = account!;
    const row = { date: '2026-10-10', amount: 10, payee: 'Proved shop', manual_account_id: id };
    const body = { transactions: [row], skip_balance_update: true };
    const { transactions } = await send(page, 'POST /v2/transactions', { body });
    for (const [day, balance] of [
      ['2026-09-30', 110],
      ['2026-10-31', 100],
    ] as const)
      await send(page, 'POST /coffer/accounts/{id}/anchors', {
        path: { id },
        body: { day, balance },
      });
    const stored = (amount: string) =>
      readUntil(
        page,
        'GET /v2/transactions/{id}',
        { path: { id: transactions[0]!.id } },
        (now) => now.amount === amount,
      );

    await page.goto(new URL('/transactions?q=Proved%20shop', page.url()).href);
    await page.locator('.row [data-field="amount"]').first().click();
    await page.locator('.row input:focus').fill('12');
    await said(page, 'This balance is proved. Change it anyway?', 'Enter');
    await stored('10.0000');
    await checkState(page, 'proved-edit');
    await said(page, 'Saved', page.getByRole('button', { name: 'Change anyway' }));
    await stored('12.0000');
    await page.locator('.row [data-field="amount"]').filter({ hasText: '12.00' }).waitFor();
    // What is not proved is not asked for.
    await page.locator('.row [data-field="amount"]').first().click();
    await page.locator('.row input:focus').fill('10');
    await said(page, 'Saved', 'Enter');
    await stored('10.0000');

    await page.goto(new URL('/accounts', page.url()).href);
    await choose(page.getByRole('button', { name: 'Actions for Proved' }), 'Merge into another');
    const dialog = page.getByRole('dialog', { name: 'Merge' });
    await dialog.getByLabel('Into', { exact: true }).selectOption({ label: 'Other' });
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await dialog.getByRole('alert').getByText('This balance is proved').waitFor();
    await checkState(page, 'proved-merge');
    await dialog.getByRole('button', { name: 'Change anyway' }).click();
    await said(page, 'Merged: 1 transaction moved');
  });
});
