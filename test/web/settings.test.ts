import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, phone, skip } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

describe('the settings', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    const environment = { ENCRYPTION_KEY: 'b'.repeat(64) };
    [browser, served] = await Promise.all([
      launchBrowser(),
      serveBook({
        ...{ transactions: 0, environment },
        flags: { webhookPrivateTargets: '127.0.0.0/8' },
      }),
    ]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });

  test('formats are kept in the browser, by keyboard', async () => {
    const visit = await openVisit(browser, served, '/settings');
    const { page } = visit;
    await page.getByLabel('Numbers and dates').selectOption('de-DE');
    await page.getByText('1.234.567,89').waitFor();
    await page.getByRole('radio', { name: 'As in the language' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText(/\d{4}-\d\d-\d\d/).waitFor();
    await checkScreen(visit, 'settings-formats');
    await page.getByLabel('Hide amounts').last().check();
    await page.getByText('•••').waitFor();
    await page.reload();
    await page.getByText('•••').waitFor();
    assert.equal(await page.getByLabel('Numbers and dates').inputValue(), 'de-DE');
    await closeVisit(visit);
  });

  test('a passkey is added and signs in, a password is set, and other sessions end', async () => {
    const other = await openVisit(browser, served, '/');
    const visit = await openVisit(browser, served, '/settings/signing-in');
    const { page } = visit;
    const devices = await page.context().newCDPSession(page);
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
        ...{ hasUserVerification: true, isUserVerified: true },
        automaticPresenceSimulation: true,
      },
    });
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByLabel('Name').fill('Laptop');
    await checkState(visit, 'settings-passkey');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('The passkey is added').waitFor();
    await page.getByRole('button', { name: 'Remove the passkey Laptop' }).waitFor();
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByText('All other sessions have ended').waitFor();
    await page.getByRole('button', { name: 'Set a password' }).click();
    await page.getByLabel('New password').fill('a few random words');
    await page.keyboard.press('Enter');
    await page.getByText('A password is set.').waitFor();
    await checkState(visit, 'settings-signing-in');
    await page.context().clearCookies();
    await page.goto(`${served.origin}/sign-in`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`${served.origin}/`);
    await page.goto(`${served.origin}/settings/signing-in`);
    await page
      .getByText(/last used/)
      .first()
      .waitFor();
    await closeVisit(visit);
    await closeVisit(other);
  });

  test('a token is shown once, works, and is refused after it was revoked', async () => {
    const visit = await openVisit(browser, served, '/settings/tokens', { viewport: phone });
    const { page } = visit;
    await page.getByText('No program has access').waitFor();
    await page.getByRole('button', { name: 'Make a token' }).click();
    await page.getByLabel('What it is for').fill('Script');
    await page.getByLabel('Expires').selectOption('30');
    await page.getByRole('button', { name: 'Make', exact: true }).click();
    const token = await page.getByRole('textbox', { name: 'Access token' }).inputValue();
    await checkState(visit, 'settings-token');
    const use = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${served.origin}/v2/me`, { headers })).status;
    };
    assert.equal(await use(), 200);
    await page.getByRole('button', { name: 'Done' }).click();
    assert.ok(!(await page.content()).includes(token));
    await page.getByRole('button', { name: 'Revoke Script' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).last().click();
    await page.getByText('The token is revoked').waitFor();
    assert.equal(await use(), 401);
    await closeVisit(visit);
  });

  test('a webhook is added, disabled and deleted; its secret is shown once', async () => {
    const visit = await openVisit(browser, served, '/settings/webhooks');
    const { page } = visit;
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByLabel('Address').fill('https://hooks.example.com/coffer');
    await page.getByRole('radio', { name: 'Only of these records' }).check();
    await checkState(visit, 'settings-webhook-form');
    await page.getByRole('button', { name: 'Save' }).click();
    assert.match(await page.getByRole('textbox', { name: 'Secret' }).inputValue(), /^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    const menu = page.getByRole('button', { name: /^Actions for https:/ });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Attempts' }).click();
    await page.getByText('Nothing was sent yet.').waitFor();
    await page.keyboard.press('Escape');
    await menu.click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await checkState(visit, 'settings-webhooks');
    await menu.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete' }).last().click();
    await page.getByText('Nothing is sent').waitFor();
    await closeVisit(visit);
  });

  test('a webhook is tested, and a message is sent again', async () => {
    const received: string[] = [];
    const receiver = createServer((request, response) => {
      request.resume().on('end', () => {
        received.push(String(request.headers['webhook-id']));
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    const visit = await openVisit(browser, served, '/settings/webhooks');
    const { page } = visit;
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByLabel('Address').fill(`http://127.0.0.1:${port}/hook`);
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
    await page.keyboard.press('Enter');
    await page.getByText('The test was delivered: 200').waitFor();
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    await page.evaluate(
      (given) =>
        fetch('/v2/tags', {
          method: 'POST',
          headers: given,
          body: JSON.stringify({ name: 'New' }),
        }),
      headers,
    );
    await menu.click();
    await page.getByRole('menuitem', { name: 'Attempts' }).click();
    const again = page.getByRole('button', { name: /^Send attempt \d+ again$/ });
    while ((await again.count()) === 0) {
      await page.keyboard.press('Escape');
      await menu.click();
      await page.getByRole('menuitem', { name: 'Attempts' }).click();
      await page.getByRole('table').waitFor();
    }
    await again.first().click();
    await page.getByText('Sent again').first().waitFor();
    assert.equal(received.length, 3);
    assert.equal(received[1], received[2]);
    await closeVisit(visit);
    receiver.close();
  });

  test('the book is downloaded by links of the page', async () => {
    const visit = await openVisit(browser, served, '/settings/download');
    const link = visit.page.getByRole('link', { name: 'Download CSV' });
    assert.equal(await link.getAttribute('href'), '/coffer/export?format=csv');
    await checkState(visit, 'settings-download');
    await closeVisit(visit);
  });
});
