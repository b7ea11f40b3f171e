import { mock } from 'node:test';
import type { Page } from 'playwright-core';
import { startReceiver } from '../../packages/server/src/webhooks/testing/receiver.ts';
import type { Receiver } from '../../packages/server/src/webhooks/testing/receiver.ts';
import type { QueryOf } from '../../packages/web/src/api/request.ts';
import type { Transaction } from '../../packages/web/src/books/types.ts';
import { drop, send } from './acts.ts';
import { settled } from './browser.ts';

const september = `Date,Description,Amount
2026-09-21,Ninth Avenue Market,-71.02
2026-09-22,Tidewater Transit,-42.00
2026-09-24,Corner Grocer,-18.65
2026-09-28,Lakeside Gym,-54.00
`;
const card = `Date,Description,Amount
2026-10-12,Elm Street Vet,-88.20
2026-10-14,Salon Solène,-64.00
`;
/** Rows of it are in the file that the picture of a preview shows. */
const checking = `Date,Description,Amount
2026-10-20,Lakeside Gym,-54.00
2026-10-23,Ninth Avenue Market,-64.18
2026-10-24,Tidewater Transit,-42.00
`;

export async function dropFile(page: Page, name: string, text: string): Promise<void> {
  await drop(page.locator('body'), { name, text });
  await page.waitForURL(/\/import\/\d+$/);
  await page.locator('.preview-rows .payee').nth(1).waitFor();
}

async function importFile(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(() => {
    history.pushState(null, '', '/import');
    dispatchEvent(new PopStateEvent('popstate'));
  });
  await dropFile(page, name, text);
  const account = page.getByRole('combobox', { name: 'Account' });
  if (await account.isVisible()) {
    await account.fill('Credit Union Checking');
    await page.getByRole('option', { name: 'Credit Union Checking' }).first().click();
    await page.locator('.preview-account .file-name', { hasText: 'Credit Union' }).waitFor();
  }
  await page.getByRole('button', { name: /^Import \d+ transaction/ }).click();
  await page
    .getByText(/transactions? imported/)
    .first()
    .waitFor();
}

async function rowsOf(
  page: Page,
  query: QueryOf<'GET /coffer/transactions'>,
): Promise<readonly Transaction[]> {
  return (await send(page, 'GET /coffer/transactions', { query })).transactions;
}

/**
 * Does in the demo book what leaves no picture empty, through the API and the screens, on some days of October 2026, of
 * which the clock of the server shows the last one in the end. Returns the receiver of its webhooks.
 */
export async function fillShownBook(page: Page, now: Date): Promise<Receiver> {
  const at = (time: string): void => mock.timers.setTime(Date.parse(`2026-10-${time}:00Z`));
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  at('24T18:02');
  await importFile(page, 'checking-september.csv', september);
  at('25T09:14');
  const report = { label: 'Nightly report', expires_at: '2027-10-25T00:00:00Z' };
  const { token } = await send(page, 'POST /coffer/tokens', { body: report });
  await send(page, 'POST /coffer/tokens', { body: { label: 'Phone app', expires_at: null } });
  const webhook = { url: `http://localhost:${port}/coffer`, description: 'Kitchen display' };
  await send(page, 'POST /coffer/webhooks', { body: webhook });
  const old = { url: 'https://hooks.example.com/coffer', description: 'Old shared sheet' };
  const { id: oldId } = await send(page, 'POST /coffer/webhooks', { body: old });
  const off = { path: { id: oldId }, body: { enabled: false } };
  await send(page, 'PUT /coffer/webhooks/{id}', off);
  at('26T20:31');
  await importFile(page, 'card-october.csv', card);
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await page.getByText('This import is undone').waitFor();
  at('27T19:47');
  const unreviewed = await rowsOf(page, { status: 'unreviewed', limit: 40 });
  const reviewed = unreviewed.slice(20, 32).map(({ id }) => ({ id, status: 'reviewed' as const }));
  await send(page, 'PUT /v2/transactions', { body: { transactions: reviewed } });
  at('27T19:52');
  const [gym] = await rowsOf(page, { q: 'lakeside', limit: 1 });
  const [same] = await rowsOf(page, { q: 'granite hall', limit: 1 });
  await send(page, 'PUT /v2/transactions/{id}', {
    path: { id: gym!.id },
    body: {
      payee: 'Lakeside Gym and Pool',
      notes: 'Month to month',
      category_id: same!.category_id,
    },
  });
  at('27T19:55');
  await send(page, 'POST /v2/tags', { body: { name: 'shared' } });
  at('28T06:00');
  const [market] = await rowsOf(page, { q: 'ninth avenue', limit: 1 });
  await page.evaluate(
    ([id, bearer]) =>
      fetch(`/v2/transactions/${id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
        body: JSON.stringify({ notes: 'Weekly shop' }),
      }),
    [market!.id, token] as const,
  );
  at('28T09:12');
  await importFile(page, 'checking-october.csv', checking);
  mock.timers.setTime(now.getTime());
  await settled(page);
  return receiver;
}
