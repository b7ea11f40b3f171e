import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enter, enterList, press, said } from './acts.ts';
import { checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';
import { fingersOf, middleOf, pastLongPress, pressLong, touchAsOnIos } from './touch.ts';

webSuite('editing in place', 300, ({ open }) => {
  test('one click on a cell edits it; the panel edits what the list does, and the account', async () => {
    const page = await open('/transactions');
    const cell = page.locator('.row [data-field="payee"]').first();
    await cell.click();
    await page.locator('.row.active [data-field="payee"] input:focus').waitFor();
    await press(page, 'Escape');
    const panel = page.getByRole('complementary', { name: 'Transaction' });
    await panel.getByTitle('Edit: Notes').click();
    await panel.locator('input:focus').waitFor();
    await enter(page, 'Shared with Ada');
    await said(page, 'Saved');
    await panel.getByRole('button', { name: 'Shared with Ada' }).waitFor();
    await panel.getByTitle('Edit: Account').click();
    await panel.locator('input:focus').waitFor();
    await enter(page, 'Everyday');
    await panel.getByTitle('Edit: Account').waitFor();
    await panel.getByTitle('Edit: Category').click();
    await panel.locator('input:focus').waitFor();
    await enter(page, 'Toy trains');
    await said(page, 'Toy trains is created');
    await panel.getByRole('button', { name: 'Toy trains' }).waitFor();
    await checkState(page, 'editing-in-place');
  });

  test('what is typed before the editor is there acts on nothing', async () => {
    const page = await open('/');
    const { promise: isLate, resolve: load } = Promise.withResolvers<undefined>();
    await page.route('**/part-*.js', async (route) => {
      const response = await route.fetch();
      if (/export\{[^}]* as CellEditor\b/.test(await response.text())) await isLate;
      await route.fulfill({ response });
    });
    await page.goto('/transactions');
    await enterList(page);
    const unchanged = await page.locator('.row.active').innerText();
    // Without the guard they open the form for a new transaction, select, review, and edit another cell.
    await press(page, 'n', 'a', ' ', 'e', 'c');
    assert.equal(await page.locator('.row.selected, .toast, dialog').count(), 0);
    load(undefined);
    const field = page.locator('.row.active input:focus');
    await field.waitFor();
    assert.ok(unchanged.includes(await field.inputValue()));
    await press(page, 'Escape');
    assert.equal(await page.locator('.row.active').innerText(), unchanged);
  });

  test('a phone edits each value of its page with the picker of the field', async () => {
    const page = await open('/transactions', { isPhone: true });
    await page.locator('.row .name').first().tap();
    const entry = page.getByRole('complementary', { name: 'Transaction' });
    await entry.getByTitle('Edit: Amount').tap();
    const field = entry.locator('input:focus');
    assert.equal(await field.getAttribute('inputmode'), 'decimal');
    await field.fill('20/4');
    await said(page, 'Saved', 'Enter');
    await entry.getByTitle('Edit: Amount').filter({ hasText: '5.00' }).waitFor();
    await entry.getByTitle('Edit: Category').tap();
    await field.waitFor();
    await page.keyboard.type('groc');
    await entry.getByRole('option', { name: 'Groceries' }).tap();
    await entry.getByTitle('Edit: Category').filter({ hasText: 'Groceries' }).waitFor();
  });

  for (const platform of ['Android', 'iOS'] as const)
    test(`a long press selects on a phone with ${platform}, and the bar with what can be done appears`, async () => {
      const page = await open('/transactions', { isPhone: true });
      const names = page.locator('.row .name');
      const at = await middleOf(names.nth(2));
      if (platform === 'iOS') await touchAsOnIos(page);
      await pressLong(page, at, page.getByRole('toolbar', { name: '1 selected' }));
      await pastLongPress(page);
      assert.ok(page.url().endsWith('/transactions'), 'no click');
      assert.equal(await page.locator('.row.selected').count(), 1);
      assert.equal(await page.evaluate(() => String(getSelection())), '');
      // On iOS the selection of text would end the press.
      assert.equal(
        await names.nth(2).evaluate((name) => getComputedStyle(name).userSelect),
        'none',
      );
      await checkState(page, 'selected-by-touch');
    });

  test('a finger that moves, is taken away, or is not alone, does not select', async () => {
    const page = await open('/transactions', { isPhone: true });
    await touchAsOnIos(page);
    const at = await middleOf(page.locator('.row .name').nth(2));
    const touch = await fingersOf(page);
    const selectsNothing = async (meanwhile: Promise<void>): Promise<void> => {
      await meanwhile;
      await pastLongPress(page);
      assert.equal(await page.locator('.row.selected').count(), 0);
    };
    await touch('touchStart', at);
    await selectsNothing(touch('touchCancel'));
    await touch('touchStart', at);
    await selectsNothing(touch('touchStart', at, { x: at.x, y: at.y + 40 }));
    await touch('touchEnd');
    // Where nothing scrolls, the browser does not cancel a touch that moves.
    await page.getByRole('grid').evaluate((grid) => (grid.style.touchAction = 'none'));
    await touch('touchStart', at);
    await selectsNothing(touch('touchMove', { x: at.x + 20, y: at.y }));
    await touch('touchEnd');
    await pressLong(page, at, page.getByRole('toolbar', { name: '1 selected' }));
  });
});
