import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkScreen, checkState } from './check-screen.ts';
import { fillEnter } from './acts.ts';
import { webSuite } from './suite.ts';

webSuite('the shell', 500, ({ open, link }) => {
  test('a link signs in once, and leaves no secret in the address', async () => {
    const page = await open('/sign-in', { isSignedIn: false, expected: /401/ });
    const address = await link();
    await page.goto(address);
    await page.waitForURL('/');
    assert.equal(new URL(page.url()).hash, '');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.context().clearCookies();
    await page.goto('about:blank');
    await page.goto(address);
    await page.getByRole('alert').waitFor();
    await page.getByRole('heading', { level: 1, name: 'This link does not work' }).waitFor();
  });

  test('whoever is not signed in gets to the page that was asked for after signing in', async () => {
    const page = await open('/?x=1', { isSignedIn: false });
    await page.waitForURL('/sign-in?next=*');
    assert.equal(new URL(page.url()).searchParams.get('next'), '/?x=1');
    await checkScreen(page, 'sign-in');
  });

  test('a wrong password is refused in words, and the address stays', async () => {
    const page = await open('/sign-in', { isSignedIn: false, expected: /401/ });
    await page.getByLabel('E-mail').fill('demo@coffer.example');
    await fillEnter(page.getByLabel('Password'), 'not this one');
    await page.locator('.problem').waitFor();
    assert.equal(await page.getByLabel('E-mail').inputValue(), 'demo@coffer.example');
  });

  test('the palette, the keys and the other screens open by keyboard, and give the focus back', async () => {
    const page = await open('/');
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).waitFor();
    await checkState(page, 'palette');
    const selected = (n: number) =>
      page.locator(`[role="option"]:nth-child(${n})[aria-selected="true"]`).waitFor();
    await selected(1);
    await page.keyboard.press('PageDown');
    await selected(9);
    await page.keyboard.press('PageUp');
    await selected(1);
    await page.keyboard.type('§');
    await dialog.getByText('Nothing fits').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    for (const [letters, name, address] of [
      ['groc', /^Groceries Category/, /transactions\?category=\d+$/],
      ['lantern vid', /^Lantern Video.*Payee/, /transactions\?payee=/],
      ['lantern video', /^Lantern Video.*20\d\d/, /transactions\/\d+$/],
      ['no such thing', /^Search transactions for/, /transactions\?q=no\+such\+thing$/],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Go to' }).fill(letters);
      await page.getByRole('option', { name }).first().click();
      await page.waitForURL(address);
    }
    for (const letters of ['budg', 'hide', 'overv']) {
      await page.keyboard.press('Meta+k');
      await fillEnter(page.getByRole('combobox', { name: 'Go to' }), letters);
      await dialog.waitFor({ state: 'detached' });
      if (letters === 'budg') await page.waitForURL('/budget');
      if (letters === 'hide') await page.getByRole('button', { name: 'Show amounts' }).waitFor();
    }
    await page.waitForURL('/');
    await page.locator('nav [aria-current="page"]').getByText('Overview').waitFor();
    assert.equal(await page.locator('nav [aria-current="page"]').count(), 1);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await checkState(page, 'keys');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'More' }).last().click();
    await page.getByRole('dialog', { name: 'More' }).waitFor();
    await checkState(page, 'more');
    for (const theme of ['dark', 'system']) {
      await page.getByRole('radio', { name: theme }).check();
      const set = await page.evaluate(() => document.documentElement.dataset['theme'] ?? 'system');
      assert.equal(set, theme);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.navigation-foot :focus').getByText('More').waitFor();
  });

  test('signing out ends the session', async () => {
    const page = await open('/', { expected: /401/ });
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('button', { name: 'Sign out' })
      .click();
    await page.waitForURL('/sign-in');
    await page.goto('/');
    await page.waitForURL('/sign-in?next=*');
  });
});
