import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const dist = join(import.meta.dirname, '../../packages/web/dist');
const skip = existsSync(join(dist, 'web.json')) ? false : 'missing: the bundle of the browser UI';

/** The limits of the first load, of it with any screen, of the styles, and of all scripts: bytes by gzip. */
const most = { firstLoad: 110_000, anyScreen: 120_000, styles: 12_000, all: 280_000 };

function sizeOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + statSync(join(dist, 'assets', `${name}.gz`)).size, 0);
}

describe('the bundle of the browser UI', { skip }, () => {
  const names = skip === false ? readdirSync(join(dist, 'assets')) : [];
  const scripts = names.filter((name) => name.endsWith('.js'));
  const about = skip === false ? readFileSync(join(dist, 'web.json'), 'utf8') : '{}';
  const {
    firstLoad = [],
    screens = {},
    paths = [],
  } = JSON.parse(about) as {
    firstLoad?: string[];
    screens?: Record<string, string[]>;
    paths?: string[];
  };

  /** The bytes of the first load with a screen. */
  const withScreen = (path: string): number =>
    sizeOf([...new Set([...firstLoad, ...(screens[path] ?? [])])]);

  for (const path of ['/', '/transactions'])
    test(`the first load is small with the screen ${path}`, () => {
      assert.ok((screens[path]?.length ?? 0) > 0, Object.keys(screens).join());
      assert.ok(withScreen(path) <= most.firstLoad, `${withScreen(path)} bytes`);
    });

  test('no screen is much larger than the first ones', () => {
    for (const path of Object.keys(screens))
      assert.ok(withScreen(path) <= most.anyScreen, `${path}: ${withScreen(path)} bytes`);
  });

  test('all scripts together, and the styles, have their limits', () => {
    assert.ok(sizeOf(scripts) <= most.all, `${sizeOf(scripts)} bytes`);
    const styles = names.filter((name) => name.endsWith('.css'));
    assert.equal(styles.length, 1);
    assert.ok(sizeOf(styles) <= most.styles, `${sizeOf(styles)} bytes`);
  });

  test('every name has the hash of its content, and the page loads only such files', () => {
    for (const name of names) assert.match(name, /-[A-Z0-9]{8}\.(js|css)(\.gz)?$/);
    const page = readFileSync(join(dist, 'index.html'), 'utf8');
    const loaded = [...page.matchAll(/(?:src|href)="\{\{base\}\}\/assets\/([^"]+)"/g)];
    assert.ok(loaded.length >= 2);
    for (const [, name = ''] of loaded) assert.ok(names.includes(name), name);
    assert.ok(!/<script(?! type="module" src=)|<style|style=|\son\w+=/.test(page));
  });

  test('the page is given for the ways in and for screens', () => {
    for (const path of ['/', '/start', '/sign-in', '/transactions'])
      assert.ok(paths.includes(path), path);
  });
});
