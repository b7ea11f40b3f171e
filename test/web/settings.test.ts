import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../../packages/server/src/webhooks/testing/receiver.ts';
import { startSimplefinServer } from '../../packages/server/src/sync/testing/simplefin-server.ts';
import { choose, fillEnter, readUntil, said, send } from './acts.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

webSuite('the settings', 0, ({ open, signIn }) => {
  test('formats are kept in the browser, by keyboard', async () => {
    const page = await open('/settings');
    await page.getByLabel('Numbers and dates').selectOption('de-DE');
    await page.getByText('1.234.567,89').waitFor();
    await page.getByRole('radio', { name: 'As in the language' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText(/\d{4}-\d\d-\d\d/).waitFor();
    await checkScreen(page, 'settings-formats');
    await page.getByLabel('Hide amounts').last().check();
    await page.getByText('•••').waitFor();
    await page.reload();
    await page.getByText('•••').waitFor();
    assert.equal(await page.getByLabel('Numbers and dates').inputValue(), 'de-DE');
  });

  test('the book gets a name and a currency, and is downloaded whole', async () => {
    const page = await open('/settings/book');
    await page.getByText('Demo Household').last().waitFor();
    await checkState(page, 'settings-book');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Our house');
    await said(page, 'The book is now Our house, in USD', 'Enter');
    await page.locator('.brand').getByText('Our house').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the whole book' }).click(),
    ]);
    assert.match(download.suggestedFilename(), /Our-house.*\.tar\.gz$/);
    await download.cancel();
  });

  test('the currency changes with what it means in front, and comes back', async () => {
    const page = await open('/settings/book');
    // Other suites of the process bring rates of usual currencies to the server.
    const account = { name: 'Cash', type: 'cash', balance: '10', currency: 'isk' } as const;
    await send(page, 'POST /v2/manual_accounts', { body: account });
    const { id } = await send(page, 'POST /v2/categories', { body: { name: 'Food' } });
    const budget = { category_id: id, start_date: '2026-01-01', amount: '50' };
    await send(page, 'PUT /v2/budgets', { body: budget });
    await page.getByRole('button', { name: 'Change the currency' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Change the currency' });
    assert.ok(await confirm.isDisabled());
    await dialog.getByLabel('Currency', { exact: true }).selectOption('isk');
    await dialog.getByText('1 budget stays in USD').waitFor();
    await dialog.getByText('No rate for 1 amount in USD').waitFor();
    await dialog.getByRole('radio', { name: 'Keep the numbers' }).check();
    await dialog.getByText('1 budget keeps its number').waitFor();
    await dialog.getByText('2 values are computed again').waitFor();
    await checkState(page, 'settings-currency');
    await said(page, 'The book is in ISK now', confirm);
    await page.getByText('· ISK').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('· USD').waitFor();
    await page.goto('/history');
    await page.getByText('Changed the currency of the book').waitFor();
  });

  test('a bank is connected, read, and removed', async (context) => {
    const bridge = await startSimplefinServer();
    context.after(() => bridge.close());
    const posted = Math.floor(Date.now() / 86_400_000) * 86_400;
    const bought = { id: '1', posted, amount: '-4.20', description: 'Café Müller' };
    const account = { id: 'A', name: 'Everyday', currency: 'USD', balance: '95.80' };
    bridge.setAccounts([{ ...account, transactions: [bought] }]);
    bridge.setErrors(['Test Bank: sign in again']);
    const page = await open('/settings/banks', { expected: /400|409|425/ });
    await page.getByText('No bank is connected').waitFor();
    await page.getByRole('button', { name: 'Connect a bank' }).click();
    await fillEnter(page.getByLabel('Setup token'), 'no token');
    await page.getByText('must be a setup token').waitFor();
    await checkState(page, 'settings-bank-form');
    await page.getByLabel('Setup token').fill(bridge.newToken());
    await said(page, '1 new transaction', 'Enter');
    await page.getByText('Test Bank: sign in again').waitFor();
    await checkState(page, 'settings-banks');
    await page.getByRole('button', { name: 'Read now' }).click();
    await page.getByText('at least 60 seconds').waitFor();
    await page.getByRole('link', { name: 'Everyday' }).click();
    await page.getByText('Café Müller').first().waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Remove My banks' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).last().click();
    await said(page, 'The connection is removed');
    await page.getByText('No bank is connected').waitFor();
  });

  test('a passkey is added and signs in, a password is set, and other sessions end', async () => {
    await signIn();
    const page = await open('/settings/signing-in', { expected: /403/ });
    const devices = await page.context().newCDPSession(page);
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByLabel('Name').fill('Laptop');
    await checkState(page, 'settings-passkey');
    await said(page, 'The passkey is added', page.getByRole('button', { name: 'Continue' }));
    await page.getByRole('button', { name: 'Remove the passkey Laptop' }).waitFor();
    await page.getByRole('button', { name: 'End all others' }).click();
    await said(page, 'All other sessions have ended');
    await page.getByRole('button', { name: 'Set a password' }).click();
    await fillEnter(page.getByLabel('New password'), 'a few random words');
    await page.getByText('A password is set.').waitFor();
    await checkState(page, 'settings-signing-in');
    await page.context().clearCookies();
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL('/');
    await page.goto('/settings/signing-in');
    const used = page.getByText(/last used/);
    await used.first().waitFor();

    // As if the session had begun an hour ago.
    const stale = { status: 403, json: { message: 'Forbidden', errors: [] } };
    await page.route('**/coffer/passkeys/options', (route) => route.fulfill(stale), { times: 1 });
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByLabel('Name').fill('Phone');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Sign in again to add a passkey').waitFor();
    await checkState(page, 'settings-sign-in-again');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByLabel('Name').fill('Laptop again');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();

    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByLabel('Current password').fill('a few random words');
    await page.getByLabel('New password').fill('other random words');
    await page.getByLabel('Remove the passkey too').check();
    await page.keyboard.press('Enter');
    await page.getByText('There is no passkey yet.').waitFor();
    await devices.send('WebAuthn.disable');
  });

  test('a token is shown once, works, and is refused after it was revoked', async () => {
    const page = await open('/settings/tokens', { isPhone: true, expected: /401/ });
    await page.getByText('No program has access').waitFor();
    await page.getByRole('button', { name: 'Make a token' }).click();
    await page.getByLabel('What it is for').fill('Script');
    await page.getByLabel('Expires').selectOption('30');
    await page.getByRole('button', { name: 'Make', exact: true }).click();
    const token = await page.getByRole('textbox', { name: 'Access token' }).inputValue();
    await checkState(page, 'settings-token');
    const use = (): Promise<number> =>
      page.evaluate(async (bearer) => {
        const headers = { authorization: `Bearer ${bearer}` };
        return (await fetch('/v2/me', { headers, credentials: 'omit' })).status;
      }, token);
    assert.equal(await use(), 200);
    const done = page.getByRole('button', { name: 'Done' });
    await done.click();
    await done.waitFor({ state: 'detached' });
    assert.ok(!(await page.content()).includes(token));
    await page.getByRole('button', { name: 'Revoke Script' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).last().click();
    await said(page, 'The token is revoked');
    assert.equal(await use(), 401);
  });

  test('a webhook is added, disabled and deleted; its secret is shown once', async () => {
    const page = await open('/settings/webhooks');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByLabel('Address').fill('https://hooks.example.com/coffer');
    await page.getByRole('radio', { name: 'Only of these records' }).check();
    await page.getByLabel('Transactions', { exact: true }).uncheck();
    await page.getByText('Choose at least one').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
    await page.getByLabel('Tags', { exact: true }).check();
    await checkState(page, 'settings-webhook-form');
    await page.getByRole('button', { name: 'Save' }).click();
    assert.match(await page.getByRole('textbox', { name: 'Secret' }).inputValue(), /^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    const menu = page.getByRole('button', { name: /^Actions for https:/ });
    await choose(menu, 'Attempts');
    await page.getByText('Nothing was sent yet.').waitFor();
    await page.keyboard.press('Escape');
    await choose(menu, 'Disable');
    await page.getByText('Disabled', { exact: true }).waitFor();
    await checkState(page, 'settings-webhooks');
    await choose(menu, 'Enable');
    await said(page, 'it continues where it stopped');
    await choose(menu, 'Edit');
    const tagsOnly = ['Transactions', 'Tags'].map((name) =>
      page.getByLabel(name, { exact: true }).isChecked(),
    );
    assert.deepEqual(await Promise.all(tagsOnly), [false, true]);
    await page.getByLabel('Note').fill('For the ledger');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('For the ledger · Nothing was delivered yet').waitFor();
    await choose(menu, 'Replace the secret');
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click();
    assert.match(await page.getByRole('textbox', { name: 'Secret' }).inputValue(), /^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    await choose(menu, 'Delete');
    await said(page, 'The webhook is deleted', page.getByRole('button', { name: 'Delete' }).last());
    await page.getByText('Nothing is sent').waitFor();
  });

  test('a webhook is tested, and a message is sent again', async (context) => {
    const receiver = await startReceiver();
    context.after(() => receiver.close());
    const page = await open('/settings/webhooks');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    const menu = page.getByRole('button', { name: /^Actions for http:/ });
    // By keyboard: the menu opens on its first action, and gives the focus back.
    await menu.focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('[role="menuitem"]:focus').getByText('Send a test').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[aria-haspopup="menu"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('[role="menuitem"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('The test was delivered: 204').waitFor();
    const { webhooks } = await send(page, 'GET /coffer/webhooks', {});
    await choose(menu, 'Attempts');
    const attempt = page.getByRole('dialog').getByRole('row').getByText('Delivered');
    await attempt.waitFor();
    await page.keyboard.press('Escape');
    await send(page, 'POST /v2/tags', { body: { name: 'New' } });
    await receiver.count(2);
    const one = { path: { id: webhooks[0]!.id } };
    const attempts = 'GET /coffer/webhooks/{id}/attempts';
    await readUntil(page, attempts, one, (response) => response.attempts.length === 2);
    await choose(menu, 'Attempts');
    await page.getByRole('button', { name: /^Send attempt \d+ again$/ }).click();
    await page.getByText('Sent again').first().waitFor();
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(ids.length, 3);
    assert.equal(ids[1], ids[2]);
  });

  test('the book is downloaded by links of the page', async () => {
    const page = await open('/settings/download');
    const link = page.getByRole('link', { name: 'Download CSV' });
    assert.equal(await link.getAttribute('href'), '/coffer/export?format=csv');
    await checkState(page, 'settings-download');
    await page.getByText('The server makes no backups. Start it with --backup-to').waitFor();
    await page.getByText('Exchange rates are read from: nowhere.').waitFor();
    const last_success_at = '2026-11-02T03:00:00.000Z';
    const failed = { last_failure_at: '2026-11-03T03:00:00.000Z', is_failing: true };
    const none = { every_seconds: 86_400, last_success_at: null, last_success_bytes: null };
    for (const [state, ...expected] of [
      [{ last_failure_at: null, is_failing: false }, 'The server has not made a backup yet.'],
      [
        { ...failed, last_success_at },
        /The last backup was made on .*2026/,
        /The one of .*2026.* failed/,
      ],
    ] as const) {
      await page.route('**/coffer/backups', (route) =>
        route.fulfill({ json: { ...none, ...state } }),
      );
      await page.reload();
      for (const text of expected) await page.getByText(text).waitFor();
      await page.unroute('**/coffer/backups');
    }
    await checkState(page, 'settings-backups');
  });
});

webSuite('the settings of a book that is deleted', 0, ({ open }) => {
  test('it is deleted once its name is typed, and its session ends', async () => {
    const page = await open('/settings/book');
    await page.getByRole('button', { name: 'Delete the book' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete the book' });
    await page.getByLabel('Type “Demo Household”').fill('Demo');
    assert.ok(await confirm.isDisabled());
    await checkState(page, 'settings-delete-book');
    await page.getByLabel('Type “Demo Household”').fill('Demo Household');
    await confirm.click();
    await page.waitForURL('**/sign-in');
    const { user } = await send(page, 'GET /coffer/session', {});
    assert.equal(user, null);
  });
});
