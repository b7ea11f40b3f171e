import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { closeVisit, launchBrowser, openVisit, skip } from './browser.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { serveBook, type ServedBook } from './served-book.ts';

describe('the shell', { skip, timeout: 300_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: 500 })]);
  });
  after(async () => {
    await browser.close();
    await served.close();
  });

  test('a link signs in once, and leaves no secret in the address', async () => {
    const link = await served.link();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    await page.waitForURL(`${served.origin}/`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await context.clearCookies();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByRole('alert').waitFor();
    assert.equal(
      await page.getByRole('heading', { level: 1 }).textContent(),
      'This link does not work',
    );
    await context.close();
  });

  test('whoever is not signed in gets to the page that was asked for after signing in', async () => {
    const visit = await openVisit(browser, served, '/?x=1', { isSignedIn: false });
    await visit.page.waitForURL(`${served.origin}/sign-in?next=*`);
    assert.equal(new URL(visit.page.url()).searchParams.get('next'), '/?x=1');
    await checkScreen(visit, 'sign-in');
    await closeVisit(visit);
  });

  test('a wrong password is refused in words, and the address stays', async () => {
    const visit = await openVisit(browser, served, '/sign-in', { isSignedIn: false });
    const { page } = visit;
    await page.getByLabel('E-mail').fill('demo@coffer.example');
    await page.getByLabel('Password').fill('not this one');
    await page.keyboard.press('Enter');
    await page.locator('.problem').waitFor();
    assert.equal(await page.getByLabel('E-mail').inputValue(), 'demo@coffer.example');
    // The browser itself reports the status in the console.
    assert.ok(
      visit.errors.every((error) => error.includes('401')),
      visit.errors.join(),
    );
    await closeVisit(visit);
  });

  test('the palette, the keys and the other screens open by keyboard, and give the focus back', async () => {
    const visit = await openVisit(browser, served, '/');
    const { page } = visit;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).waitFor();
    await checkState(visit, 'palette');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await checkState(visit, 'keys');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More' }).last().click();
    await page.getByRole('dialog', { name: 'More' }).waitFor();
    await checkState(visit, 'more');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    assert.equal(focused, 'More');
    await closeVisit(visit);
  });

  test('signing out ends the session', async () => {
    const { page } = await openVisit(browser, served, '/');
    await page.getByRole('button', { name: 'More' }).last().click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${served.origin}/sign-in`);
    await page.goto(`${served.origin}/`);
    await page.waitForURL(`${served.origin}/sign-in?next=*`);
    await page.context().close();
  });

  test('a page that does not exist is not found, with the shell around it', async () => {
    assert.equal((await fetch(`${served.origin}/nothing`)).status, 404);
  });
});
