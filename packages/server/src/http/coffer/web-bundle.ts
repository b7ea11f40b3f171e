import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { entityTagOfBytes } from '../server/send.ts';

/** A file of the browser UI. */
export interface WebFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The same by gzip. */
  readonly gzip: Uint8Array | null;
  readonly etag: string;
}

/** What the bundler says about its output. */
interface About {
  /** The first parts of the paths of pages, such as `/transactions`. */
  readonly paths: readonly string[];
  /** The styles that the UI adds to its page, as sources of a Content-Security-Policy. */
  readonly styleHashes: readonly string[];
}

/** The bundled browser UI in a folder. */
export interface WebBundle extends About {
  /** The page before its base path is filled in. Read again after the UI was bundled again. */
  readonly page: () => Promise<string>;
  /** A file of `assets` by its name; null when there is none. */
  readonly file: (name: string) => Promise<WebFile | null>;
}

/** The bundle, or why there is none. */
export type WebBundleOrProblem = WebBundle | { readonly problem: string };

/** In a package, next to the bundle of the command in a clone, and from the sources of the server. */
const folders = ['./web/', '../../web/dist/', '../../../../web/dist/'].map(
  (path) => new URL(path, import.meta.url),
);
const contentTypes: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
const missing = 'The browser UI was not bundled: run npm start, which does that';

/** Finds the bundle of the browser UI. Reads no more than its description until a file is requested. */
export function findWebBundle(candidates: readonly URL[] = folders): WebBundleOrProblem {
  for (const folder of candidates) {
    const about = new URL('web.json', folder);
    if (existsSync(about))
      return bundleIn(folder, JSON.parse(readFileSync(about, 'utf8')) as About);
    const problem = new URL('problem.txt', folder);
    if (existsSync(problem)) return { problem: readFileSync(problem, 'utf8') };
  }
  return { problem: missing };
}

function bundleIn(folder: URL, { paths, styleHashes }: About): WebBundle {
  const page = new URL('index.html', folder);
  const files = assetsIn(new URL('assets/', folder));
  return { paths, styleHashes, page: () => readFile(page, 'utf8'), file: files };
}

/** Reads files when they are first requested and keeps them: their names change with their content. */
function assetsIn(folder: URL): WebBundle['file'] {
  const kept = new Map<string, WebFile>();
  return async (name) => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    // The name comes from a request, so it is compared with the names that exist and never put into a path first.
    const names = await readdir(folder);
    const contentType = contentTypes[name.split('.').at(-1) ?? ''];
    if (contentType === undefined || !names.includes(name)) return null;
    const bytes = await readFile(new URL(name, folder));
    const gzip = names.includes(`${name}.gz`)
      ? await readFile(new URL(`${name}.gz`, folder))
      : null;
    const file = { contentType, bytes, gzip, etag: entityTagOfBytes(bytes) };
    kept.set(name, file);
    return file;
  };
}
