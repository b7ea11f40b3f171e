import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launchBrowser, openVisit, settled, skip, type Visit } from './browser.ts';
import { serveBook, type ServedBook } from './served-book.ts';

/** The limits of the brief. CI shares its processors, so time is that of the page's own thread. */
const most = { scriptMsPer5Rows: 4, heapBytes: 40_000_000, keyToPaintMs: 50 };
const rowCount = 100_000;

async function metric(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((each) => each.name === name)?.value ?? Number.NaN;
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * part)] ?? 0;
}

describe(`a list of ${rowCount} transactions`, { skip, timeout: 600_000 }, () => {
  let browser: Browser;
  let served: ServedBook;
  let visit: Visit;
  let page: Page;
  let session: CDPSession;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveBook({ transactions: rowCount })]);
    visit = await openVisit(browser, served, '/transactions');
    ({ page } = visit);
    await page.locator('.row .name').first().waitFor();
    session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  });
  after(async () => {
    await browser.close();
    await served.close();
  });

  /** Scrolls by some rows at each frame, and returns the number of frames with a visible row without content. */
  const scroll = (frames: number, rows: number): Promise<number> =>
    page.evaluate(
      async ([count, step]) => {
        const grid = document.querySelector('[role="grid"]')!;
        let blank = 0;
        for (let frame = 0; frame < count; frame += 1) {
          grid.scrollTop += step * 36;
          await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
          const { top, bottom, left } = grid.getBoundingClientRect();
          const isBlank = [top + 10, (top + bottom) / 2, bottom - 10].some(
            (y) => document.elementFromPoint(left + 60, y)?.closest('.row') === null,
          );
          if (isBlank) blank += 1;
        }
        return blank;
      },
      [frames, rows] as const,
    );

  test('scrolling takes little script, and shows a row at every place', async (context) => {
    await scroll(20, 5);
    await settled(page);
    const before = await metric(session, 'ScriptDuration');
    const frames = 80;
    const blank = await scroll(frames, 5);
    const ms = ((await metric(session, 'ScriptDuration')) - before) * 1000;
    context.diagnostic(`${(ms / frames).toFixed(2)} ms of script per 5 rows`);
    assert.equal(blank, 0);
    assert.ok(ms / frames <= most.scriptMsPer5Rows, `${ms / frames} ms`);
  });

  test('a jump shows rows, and the last row can be reached', async () => {
    const grid = page.locator('[role="grid"]');
    await grid.focus();
    await page.keyboard.press('End');
    await page.locator('.row.active .name').waitFor();
    const count = Number(await grid.getAttribute('aria-rowcount'));
    assert.ok(count > rowCount * 0.9, String(count));
    assert.equal(await page.locator('.row.active').getAttribute('aria-rowindex'), String(count));
    await page.keyboard.press('Home');
    await page.locator('.row.active .name').waitFor();
  });

  test('a key is painted soon', async (context) => {
    await page.locator('[role="grid"]').focus();
    const times = await page.evaluate(async () => {
      const found: number[] = [];
      const grid = document.querySelector('[role="grid"]')!;
      for (let at = 0; at < 60; at += 1) {
        const begun = performance.now();
        grid.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        found.push(performance.now() - begun);
      }
      return found;
    });
    const p95 = percentile(times, 0.95);
    context.diagnostic(`key to paint p95 ${p95.toFixed(1)} ms of wall time`);
    const script = await metric(session, 'ScriptDuration');
    await page.keyboard.press('j');
    await settled(page);
    const ms = ((await metric(session, 'ScriptDuration')) - script) * 1000;
    assert.ok(ms <= most.keyToPaintMs, `${ms} ms of script`);
  });

  test('a walk through all of it keeps the memory small', async (context) => {
    const pages = Math.floor(rowCount / 500);
    for (let at = 0; at < pages; at += 4) {
      await page.evaluate((row) => {
        document.querySelector('[role="grid"]')!.scrollTop = row * 36;
      }, at * 500);
      await page.locator(`[data-place="${at * 500}"] .name`).waitFor();
    }
    await session.send('HeapProfiler.collectGarbage');
    const bytes = await metric(session, 'JSHeapUsedSize');
    context.diagnostic(`${(bytes / 1e6).toFixed(1)} MB of heap`);
    assert.ok(bytes <= most.heapBytes, `${bytes} bytes`);
    assert.deepEqual(visit.errors, []);
  });
});
