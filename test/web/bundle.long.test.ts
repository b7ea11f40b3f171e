import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { skipBundle } from './browser.ts';

const dist = join(import.meta.dirname, '../../packages/web/dist');

/**
 * The limits of the first load, of it with any other screen, of the styles, and of all scripts: bytes by gzip; and how
 * many scripts a screen needs.
 */
const most = {
  files: 20,
  firstLoad: 115_000,
  anyScreen: 130_000,
  styles: 13_000,
  all: 280_000,
  language: 20_000,
};

interface About {
  readonly firstLoad: readonly string[];
  readonly screens: Readonly<Record<string, readonly string[]>>;
  readonly paths: readonly string[];
  /** The texts of a second language. */
  readonly german: readonly string[];
}

function sizeOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + statSync(join(dist, 'assets', `${name}.gz`)).size, 0);
}

describe('the bundle of the browser UI', { skip: skipBundle }, () => {
  const read = (name: string): string => readFileSync(join(dist, name), 'utf8');
  const names = (): string[] => readdirSync(join(dist, 'assets'));

  test('the first load is small, and no screen is much larger', () => {
    const { firstLoad, screens } = JSON.parse(read('web.json')) as About;
    for (const first of ['/', '/transactions']) assert.ok((screens[first]?.length ?? 0) > 0, first);
    for (const [path, own] of Object.entries(screens)) {
      const files = [...new Set([...firstLoad, ...own])];
      const bytes = sizeOf(files);
      const limit = path === '/' ? most.firstLoad : most.anyScreen;
      assert.ok(bytes <= limit, `${path}: ${bytes} bytes`);
      assert.ok(files.length <= most.files, `${path}: ${files.length} files`);
    }
  });

  test('all scripts together, and the styles, have their limits', () => {
    const { german } = JSON.parse(read('web.json')) as About;
    assert.ok(sizeOf(german) <= most.language, `${sizeOf(german)} bytes`);
    const scripts = names().filter((name) => name.endsWith('.js') && !german.includes(name));
    assert.ok(sizeOf(scripts) <= most.all, `${sizeOf(scripts)} bytes`);
    const styles = names().filter((name) => name.endsWith('.css'));
    assert.equal(styles.length, 1);
    assert.ok(sizeOf(styles) <= most.styles, `${sizeOf(styles)} bytes`);
  });

  test('the font has at most 60 kB', () => {
    const fonts = names().filter((name) => name.endsWith('.woff2'));
    assert.equal(fonts.length, 1);
    assert.ok(statSync(join(dist, 'assets', fonts[0]!)).size <= 60_000);
  });

  test('every name has the hash of its content, and the page loads only such files', () => {
    for (const name of names()) assert.match(name, /-[A-Z0-9]{8}\.((js|css)(\.gz)?|woff2)$/);
    const page = read('index.html');
    const loaded = [...page.matchAll(/(?:src|href)="\{\{base\}\}\/assets\/([^"]+)"/g)];
    assert.ok(loaded.length >= 2);
    for (const [, name = ''] of loaded) assert.ok(names().includes(name), name);
    assert.ok(!/<script(?! type="module" src=)|<style|style=|\son\w+=/.test(page));
  });

  test('the page is given for the ways in and for screens', () => {
    const { paths } = JSON.parse(read('web.json')) as About;
    for (const path of ['/', '/start', '/sign-in', '/transactions'])
      assert.ok(paths.includes(path), path);
  });
});
