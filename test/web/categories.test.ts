import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { choose, fillEnter, press, said, send } from './acts.ts';
import { checkScreen, checkState } from './check-screen.ts';
import { webSuite } from './suite.ts';
import { fingersOf, pressLong, type Point } from './touch.ts';

webSuite('categories and tags', 1000, ({ open }) => {
  test('a category moves by drag and drop with the keyboard, and back by u', async () => {
    const page = await open('/categories');
    await page.getByRole('row', { name: 'Salary' }).waitFor();
    await checkScreen(page, 'categories');
    const name = page.locator('.category-name > span:first-child');
    const earlier = await name.allInnerTexts();
    const place = earlier.indexOf('Bonus');
    assert.equal(earlier[place + 1], 'Freelance');
    await page.getByRole('button', { name: 'Add a category' }).focus();
    await press(page, 'Tab', 'ArrowDown', 'ArrowDown', 'ArrowRight');
    await page.locator('[aria-label="Move Bonus"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Bonus is picked up').waitFor({ state: 'attached' });
    await press(page, 'ArrowDown', 'ArrowUp', 'ArrowDown');
    await page.locator('.drop-before, .drop-after').waitFor();
    await said(page, 'Bonus is moved', 'Escape', 'Enter', 'ArrowDown', 'Enter');
    await name.nth(place).getByText('Freelance', { exact: true }).waitFor();
    await name
      .nth(place + 1)
      .getByText('Bonus', { exact: true })
      .waitFor();
    await said(page, 'The last change is taken back', 'u');
    await name.nth(place).getByText('Bonus', { exact: true }).waitFor();
    assert.deepEqual(await name.allInnerTexts(), earlier);
  });

  for (const isPhone of [false, true])
    test(`a category is dragged into a group with ${isPhone ? 'a finger' : 'the mouse'}`, async () => {
      const page = await open('/categories', { isPhone });
      const handle = page.locator('[aria-label="Move Pets"]');
      await handle.scrollIntoViewIfNeeded();
      const target = page.getByRole('row', { name: 'Getting Around', exact: true });
      const [from, to] = [await handle.boundingBox(), await target.boundingBox()];
      assert.ok(from !== null && to !== null);
      const [x, y] = [from.x + from.width / 2, to.y + to.height / 2];
      if (isPhone) await dragByTouch(page, { x, y: from.y + from.height / 2 }, { x, y });
      else {
        await handle.hover();
        await page.mouse.down();
        await page.mouse.move(x, y, { steps: 3 });
        await page.locator('.drop-on').getByText('Getting Around').waitFor();
        await page.mouse.up();
      }
      await said(page, 'Pets is moved');
      const { categories } = await send(page, 'GET /v2/categories', {});
      const group = categories.find(({ name }) => name === 'Getting Around');
      assert.equal(group?.children?.at(-1)?.name, 'Pets');
      await said(page, 'The last change is taken back', page.getByRole('button', { name: 'Undo' }));
    });

  for (const isPhone of [false, true])
    test(`the menu of a row opens at ${isPhone ? 'a long press' : 'a right click'}, inside the window`, async () => {
      const page = await open('/categories', { isPhone });
      const names = page.locator('.category-name');
      for (const row of [names.nth(1), names.last()]) {
        await row.scrollIntoViewIfNeeded();
        const { x: left, y: top, width, height } = (await row.boundingBox())!;
        const [x, y] = [Math.round(left + width - 4), Math.round(top + height / 2)];
        const menu = page.getByRole('menu');
        if (isPhone) await pressLong(page, { x, y }, menu);
        else await page.mouse.click(x, y, { button: 'right' });
        await menu.getByRole('menuitem').first().waitFor();
        const box = (await menu.boundingBox())!;
        const window = page.viewportSize()!;
        assert.equal(Math.round(box.x), Math.min(x, Math.floor(window.width - box.width - 4)));
        const isBelow = Math.round(box.y) === y + 4;
        assert.ok(isBelow || Math.round(box.y + box.height) === y - 4, `${box.y} at ${y}`);
        assert.ok(box.y >= 0 && box.y + box.height <= window.height, 'inside the window');
        await page.keyboard.press('Escape');
        await menu.waitFor({ state: 'detached' });
      }
    });

  test('a category in use says what its deletion does, and merges after a preview', async () => {
    const page = await open('/categories', { expected: /422/ });
    const menu = page.getByRole('button', { name: 'Actions for Groceries' });
    await choose(menu, 'Delete');
    await page.getByText(/transactions will have no category/).waitFor();
    await page.locator('dialog .actions button:focus', { hasText: 'Cancel' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await choose(menu, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await said(page, 'Groceries is deleted');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await choose(menu, 'Merge into another');
    await page.getByLabel('Into', { exact: true }).selectOption({ label: 'Restaurants' });
    await page.getByText(/transactions? move/).waitFor();
    await checkState(page, 'category-merge');
    await page.getByRole('button', { name: 'Merge' }).click();
    await said(page, 'Groceries is merged into Restaurants');
    await menu.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await menu.waitFor();
  });

  test('a category is added, moved and archived by touch', async () => {
    const page = await open('/categories', { isPhone: true });
    await page.getByRole('button', { name: 'Add a category' }).tap();
    await page.getByRole('button', { name: 'Save', disabled: true }).waitFor();
    await page.getByLabel('Name').fill('Aquarium');
    await page.getByLabel('Group', { exact: true }).selectOption({ label: 'Home' });
    await page.getByRole('button', { name: 'Save' }).tap();
    await said(page, 'Aquarium is added');
    const menu = page.getByRole('button', { name: 'Actions for Aquarium' });
    for (const [action, message] of [
      ['Move up', 'Aquarium is moved'],
      ['Archive', 'Aquarium is archived'],
    ] as const) {
      await menu.tap();
      await page.getByRole('menuitem', { name: action }).tap();
      await said(page, message);
    }
    await menu.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Show \d+ archived$/ }).tap();
    await menu.tap();
    await page.getByRole('menuitem', { name: 'Offer it again' }).tap();
    await said(page, 'Aquarium is offered again');
  });

  test('a category has an icon and a colour of choice, by keyboard, and loses them by one u', async () => {
    const page = await open('/categories');
    const row = page.getByRole('row', { name: 'Groceries' });
    await row.locator('.category-mark[data-letter="G"]').waitFor();
    await choose(page.getByRole('button', { name: 'Actions for Groceries' }), 'Edit');
    await page.getByText('Icon and colour').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('radio', { name: 'Basket' }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('radio', { name: 'First letter' }).and(page.locator(':focus')).waitFor();
    await press(page, 'ArrowRight', 'Tab', 'ArrowRight', 'ArrowRight');
    assert.ok(await page.getByRole('radio', { name: 'Basket' }).isChecked());
    assert.ok(await page.getByRole('radio', { name: 'Orange' }).isChecked());
    // White is chosen only where it is readable.
    const inks = page.locator('.look-choices .category-mark[style*="background"]');
    const colours = await inks.evaluateAll((all) =>
      all.map((each) => getComputedStyle(each).color),
    );
    assert.deepEqual(new Set(colours), new Set(['rgb(255, 255, 255)']));
    await checkState(page, 'category-look');
    await page.getByLabel('Name').fill('Food');
    await said(page, 'Food is changed', 'Enter');
    const changed = page.getByRole('row', { name: 'Food' });
    await changed.locator('use[href="#i-c-basket"]').waitFor();
    const { category_settings: all } = await send(page, 'GET /coffer/category_settings', {});
    const look = { icon: 'basket', colour: '#b55414', rollover: false };
    assert.partialDeepStrictEqual(all, [look]);
    const links = page.getByRole('navigation').first();
    const shown = page.locator('main .category-mark');
    for (const [screen, mark] of [
      ['Transactions', shown.locator('use[href="#i-c-basket"]')],
      ['Budget', shown.locator('use[href="#i-c-basket"]')],
      ['Reports', shown],
      ['Overview', shown],
      ['Categories & tags', shown.locator('use[href="#i-c-basket"]')],
    ] as const) {
      await links.getByRole('link', { name: screen, exact: true }).click();
      await links.locator('[aria-current=page]', { hasText: screen }).waitFor();
      await mark.first().waitFor();
    }
    await page.keyboard.press('u');
    await row.locator('.category-mark[data-letter="G"]').waitFor();
    assert.equal(await page.getByText('Food', { exact: true }).count(), 0);
  });

  test('a tag has a colour, and a note', async () => {
    const page = await open('/categories/tags');
    await page.getByRole('button', { name: 'Add a tag' }).click();
    await page.getByLabel('Name').fill('Aquarium');
    await page.getByLabel('Own colours').check();
    await fillEnter(page.getByLabel('Background'), '#204060');
    await said(page, 'Aquarium is added', page.getByRole('button', { name: 'Save' }));
    await page.locator('.tag-chip', { hasText: 'Aquarium' }).waitFor();
    await checkState(page, 'tags');
    const menu = page.getByRole('button', { name: 'Actions for Aquarium' });
    await choose(menu, 'Archive');
    await said(page, 'Aquarium is archived');
    await choose(menu, 'Edit');
    assert.equal(await page.getByLabel('Background').inputValue(), '#204060');
    await page.getByLabel('Name').fill('Terrarium');
    await page.getByRole('button', { name: 'Save' }).click();
    await choose(page.getByRole('button', { name: 'Actions for Terrarium' }), 'Delete');
    await said(page, 'Terrarium is deleted');
  });
});

/** A drag by one finger. */
async function dragByTouch(page: Page, from: Point, to: Point): Promise<void> {
  const touch = await fingersOf(page);
  await touch('touchStart', from);
  await touch('touchMove', { x: from.x, y: (from.y + to.y) / 2 });
  await touch('touchMove', to);
  await page.locator('.drop-on').waitFor();
  await touch('touchEnd');
}
