import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

interface Loaded {
  readonly exports: { readonly main: () => Promise<unknown> };
  readonly loadNext: () => boolean;
  readonly keepCode: () => void;
}

const nodeRequire = createRequire(import.meta.url);
const { load } = nodeRequire('./run-bundle.cjs') as {
  load: (file: string, name: string, folder: string, requireOfNode: NodeJS.Require) => Loaded;
};

const root = mkdtempSync(join(tmpdir(), 'coffer-run-'));
after(() => rmSync(root, { recursive: true }));

let bundles = 0;

/** Writes a bundle whose command resolves to `value`, as the bundler does; and the folder for its code. */
function plant(value: string): { file: string; folder: string } {
  bundles += 1;
  const file = join(root, `main-${bundles}.cjs`);
  rewrite(file, value);
  return { file, folder: join(root, `code-${bundles}`, 'coffer') };
}

function rewrite(file: string, value: string): void {
  const text = `exports.main = async () => { const own = function () { return ${value}; }; return own(); };`;
  writeFileSync(file, `//${createHash('sha256').update(text).digest('hex')}\n${text}`);
}

/** What the one file with code holds. */
function kept(folder: string): { name: string; runs: number | undefined; bytes: Buffer } {
  const names = readdirSync(folder);
  assert.equal(names.length, 1, names.join());
  const bytes = readFileSync(join(folder, names[0]!));
  return { name: names[0]!, runs: bytes[64], bytes };
}

async function runOnce(file: string, folder: string): Promise<unknown> {
  const { exports, keepCode } = load(file, 'serve', folder, nodeRequire);
  const value = await exports.main();
  keepCode();
  return value;
}

test('the code of the first three runs is kept, with the functions that ran', async () => {
  const { file, folder } = plant("'first'");
  load(file, 'serve', folder, nodeRequire).keepCode();
  const before = kept(folder);
  assert.equal(await runOnce(file, folder), 'first');
  const second = kept(folder);
  assert.deepEqual([before.runs, second.runs], [1, 2]);
  assert.ok(second.bytes.length > before.bytes.length, 'the functions that ran are added');
  for (let run = 0; run < 3; run += 1) assert.equal(await runOnce(file, folder), 'first');
  assert.equal(kept(folder).runs, 3);
  assert.match(second.name, /^serve-[a-z0-9]+-[0-9a-f]+\.code$/);
});

test('the code next to the bundle counts as a run', async () => {
  const { file, folder } = plant("'next'");
  await runOnce(file, root);
  await runOnce(file, folder);
  assert.equal(kept(folder).runs, 2);
});

test('code is not used for another bundle of the same length', async () => {
  const { file, folder } = plant("'one'");
  for (let run = 0; run < 3; run += 1) await runOnce(file, folder);
  rewrite(file, "'two'");
  assert.equal(await runOnce(file, folder), 'two');
  assert.equal(kept(folder).runs, 1);
});

test('a damaged file is replaced', async () => {
  const good = plant("'good'");
  await runOnce(good.file, good.folder);
  const { name, bytes } = kept(good.folder);
  for (const length of [20, 65, 66, 200, bytes.length - 1]) {
    // Another file, because V8 does not compile the same one twice in a process.
    const { file, folder } = plant("'good'");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), bytes.subarray(0, length));
    assert.equal(await runOnce(file, folder), 'good');
    assert.equal(kept(folder).runs, 1, `${length}`);
    // A whole file counts at the next run.
    await runOnce(file, folder);
    assert.equal(kept(folder).runs, 2, `${length}`);
  }
});

test('a bundle runs where nothing can be written', async () => {
  const { file, folder } = plant("'still'");
  writeFileSync(join(folder, '..'), 'a file in the place of the folder');
  assert.equal(await runOnce(file, folder), 'still');
  assert.equal(existsSync(folder), false);
});

test('the code of a bundle without an id is not kept', async () => {
  const { file, folder } = plant("'plain'");
  writeFileSync(file, "exports.main = async () => 'plain';");
  assert.equal(await runOnce(file, folder), 'plain');
  assert.equal(existsSync(folder), false);
});

test('errors name the file and the line of the bundle', async () => {
  const { file, folder } = plant('missing.value');
  await assert.rejects(runOnce(file, folder), (error: Error) => {
    assert.match(error.stack ?? '', /at own \(.*main-\d+\.cjs:2:\d+\)/);
    return true;
  });
});

test('a bundle can require files next to it', async () => {
  const { file, folder } = plant("require('./part.cjs')");
  writeFileSync(join(root, 'part.cjs'), "module.exports = 'part';");
  assert.equal(await runOnce(file, folder), 'part');
});

/** Writes the chunks of a bundle, as the bundler does. */
function addChunks(
  file: string,
  chunks: Readonly<Record<string, string>>,
  ahead: readonly string[] = [],
): void {
  let at = 0;
  const places: Record<string, readonly number[]> = {};
  for (const [name, { length }] of Object.entries(chunks)) {
    places[name] = [at, length];
    at += length;
  }
  const texts = Object.values(chunks).join('');
  const chunkFile = file.replace(/cjs$/, 'chunks');
  const head = JSON.stringify({ places, ahead });
  writeFileSync(chunkFile, `${head}\n${texts}`);
}

/** The names of the chunks whose code is kept. */
function keptChunks(folder: string): string[] {
  const [names] = /^\[.*?\]\n/.exec(kept(folder).bytes.toString('latin1', 65)) ?? [];
  return (JSON.parse(names ?? '[]') as [string, number][]).map(([name]) => name);
}

test('a chunk is loaded once, when it is required, and its code is kept', async () => {
  const { file, folder } = plant("[require('./one.js').value, require('./one.js').count]");
  addChunks(file, {
    'one.js':
      "const two = require('./two.js'); globalThis.loads = (globalThis.loads ?? 0) + 1; Object.assign(exports, { value: two(), count: globalThis.loads });",
    'two.js': "module.exports = function () { return 'chunk'; };",
    'broken.js': 'syntax error',
  });
  for (let run = 1; run <= 4; run += 1)
    assert.deepEqual(await runOnce(file, folder), ['chunk', run]);
  assert.equal(kept(folder).runs, 3);
  assert.deepEqual(keptChunks(folder), ['main.js', 'one.js', 'two.js']);
});

test('what later requests need is loaded one by one, and not kept for the next start', async () => {
  const { file, folder } = plant("require('./first.js').names.join()");
  const chunk = (name: string): string => `(globalThis.loaded ??= []).push('${name}');`;
  addChunks(
    file,
    {
      'first.js': `${chunk('first')} exports.names = globalThis.loaded;`,
      'second.js': `require('./third.js'); ${chunk('second')}`,
      'third.js': chunk('third'),
      'other.js': chunk('other'),
    },
    ['first.js', 'second.js', 'third.js'],
  );
  const { exports, loadNext, keepCode } = load(file, 'serve', folder, nodeRequire);
  assert.equal(await exports.main(), 'first');
  assert.deepEqual([loadNext(), await exports.main()], [true, 'first,third,second']);
  assert.deepEqual([loadNext(), await exports.main()], [false, 'first,third,second']);
  keepCode();
  assert.deepEqual(keptChunks(folder), ['main.js', 'first.js']);
});

test('a server can load each chunk that it needs later, with the readers of bank files', () => {
  const file = join(import.meta.dirname, 'dist/main.cjs');
  const head = readFileSync(file.replace(/cjs$/, 'chunks'), 'latin1').split('\n', 1)[0]!;
  const { ahead } = JSON.parse(head) as { readonly ahead: readonly string[] };
  assert.ok(
    ahead.some((name) => name.startsWith('read-preview-')),
    ahead.join(),
  );
  const { loadNext } = load(file, 'serve', join(root, 'whole'), nodeRequire);
  while (loadNext());
});
