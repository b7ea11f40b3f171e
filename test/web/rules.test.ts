import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { choose, enter, enterList, press, readUntil, said, send, typeCategory } from './acts.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';

webSuite('rules', 1000, ({ open }) => {
  const rulesOf = async (page: Page) => (await send(page, 'GET /coffer/rules', {})).rules;
  const countOf = async (page: Page, payee: string, category_ids = '') =>
    (await send(page, 'GET /coffer/transactions/months', { query: { payee, category_ids } })).count;
  const payeeOfRow = (page: Page): Promise<string> =>
    page.locator('.row.active [data-field="payee"]').innerText();

  test('all of this payee, ever, and always from now on: six keys, and one undo', async () => {
    const page = await open('/transactions?q=Golden+Wok');
    await enterList(page);
    const payee = await payeeOfRow(page);
    const before = await rulesOf(page);
    const all = await countOf(page, payee);
    assert.ok(all > 5, payee);
    let keys = 0;
    const key = async (name: string): Promise<void> => {
      keys += 1;
      await page.keyboard.press(name);
    };
    // The row has a category already: choose another one, then "always".
    await key('c');
    await page.locator('[role="combobox"]:focus').waitFor();
    for (const letter of 'tr') await key(letter);
    await key('Enter');
    await said(page, 'Saved');
    await key('r');
    const dialog = page.getByRole('dialog', { name: 'New rule' });
    await dialog.getByRole('checkbox', { name: /^Change these/ }).waitFor();
    await checkState(page, 'rule-new');
    await key('Enter');
    assert.equal(keys, 6);
    await said(page, new RegExp(`^${payee} is created, [\\d,]+ transactions changed`));
    const [rule] = (await rulesOf(page)).filter(({ id }) => before.every((each) => each.id !== id));
    assert.deepEqual(rule?.conditions, { payee: { operator: 'is', value: payee } });
    assert.equal(await countOf(page, payee, String(rule.actions.category_id)), all);
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await said(page, 'The last change is taken back');
    assert.deepEqual(await rulesOf(page), before);
    assert.equal(await countOf(page, payee, String(rule.actions.category_id)), 1);
  });

  test('"Always" comes with the third row of a payee that is categorised alike, and only once', async () => {
    const page = await open('/transactions?q=Alder');
    await enterList(page);
    const payee = await payeeOfRow(page);
    const always = page.locator('.toast').getByRole('button', { name: 'Always' });
    for (const place of [1, 2, 3, 4]) {
      await typeCategory(page, 'rest');
      await said(page, 'Saved');
      assert.equal(await always.count(), place === 3 ? 1 : 0, `row ${place}`);
      if (place === 3) {
        await always.click();
        const dialog = page.getByRole('dialog', { name: 'New rule' });
        await dialog.getByRole('combobox', { name: 'Category' }).waitFor();
        assert.equal(await dialog.getByRole('textbox', { name: 'Payee' }).inputValue(), payee);
        await press(page, 'Escape');
        await dialog.waitFor({ state: 'detached' });
      }
      await page.locator('[role="grid"]').focus();
      await press(page, 'j');
    }
  });

  test('a rule is made with a preview, turned off, moved, applied and deleted by keyboard', async () => {
    const page = await open('/rules');
    const list = page.locator('ol.rules > li');
    await list.first().waitFor();
    await checkScreen(page, 'rules');
    const earlier = (await rulesOf(page)).length;
    await page.getByRole('button', { name: 'New rule' }).focus();
    await press(page, 'Enter');
    const dialog = page.getByRole('dialog', { name: 'New rule' });
    await dialog.getByRole('textbox', { name: 'Payee' }).and(page.locator(':focus')).waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Create' }).isDisabled(), true);
    await enter(page, 'pharmacy', 'Tab');
    await press(page, 'Tab', 'Tab');
    await page.keyboard.type('Harbour things');
    await page.getByRole('option', { name: 'Create “Harbour things”' }).waitFor();
    await said(page, 'Harbour things is created', 'Enter');
    await dialog.getByText(/would change:/).waitFor();
    await said(page, 'pharmacy is created', 'Enter');
    const line = list.filter({ hasText: 'pharmacy' });
    await line.getByText('Payee contains “pharmacy”').waitFor();
    await line.getByText('Harbour things').waitFor();
    assert.equal(await list.count(), earlier + 1);
    await line.getByRole('checkbox').focus();
    await said(page, 'pharmacy is off', ' ');
    await line.getByText('Off').waitFor();
    await press(page, 'u');
    await line.getByText('Off').waitFor({ state: 'detached' });
    await choose(line.getByRole('button', { name: 'Actions for pharmacy' }), 'Move up');
    await said(page, 'pharmacy is moved');
    await list
      .nth(earlier - 1)
      .getByText('pharmacy', { exact: true })
      .waitFor();
    await choose(line.getByRole('button', { name: 'Actions for pharmacy' }), 'Apply to past');
    await page.getByText(/would change:/).waitFor();
    await checkState(page, 'rule-apply');
    await page.getByRole('button', { name: 'Change them' }).click();
    await said(page, /^[\d,]+ transactions changed/);
    await choose(line.getByRole('button', { name: 'Actions for pharmacy' }), 'Delete');
    await said(page, 'pharmacy is deleted');
    await line.waitFor({ state: 'detached' });
  });

  test('a rule is edited by touch and keeps what the form does not show', async () => {
    const page = await open('/rules', { isPhone: true });
    const split = [{ percentage: '50.0000' }, {}];
    const conditions = { payee: { operator: 'is', value: 'Nobody' } } as const;
    const body = { name: 'Halves', conditions, actions: { split } };
    const { id } = await send(page, 'POST /coffer/rules', { body });
    await page.reload();
    await page.getByRole('button', { name: 'Edit Halves' }).tap();
    const dialog = page.getByRole('dialog', { name: 'Rule' });
    await dialog.getByText('More actions').tap();
    await dialog.getByText('Skip later rules').tap();
    await dialog.getByRole('button', { name: 'Save' }).tap();
    await said(page, 'Halves is saved');
    const path = { id };
    await readUntil(page, 'GET /coffer/rules/{id}', { path }, ({ stop, actions }) => {
      assert.deepEqual(actions.split, split);
      return stop;
    });
  });
});
