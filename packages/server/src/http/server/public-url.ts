import type { FastifyServerOptions, onRequestHookHandler } from 'fastify';
import { Problem } from '../../operations/problem.ts';

/** The address at which clients reach the service through a proxy. */
export interface PublicUrl {
  /** Without a slash at the end, such as `https://host/coffer`. */
  readonly href: string;
  /** In lower case, without the port, which proxies often leave out. */
  readonly hostname: string;
  /** The beginning of every path, such as `/coffer`; empty for the root. */
  readonly basePath: string;
}

/** Health checks and scrapes call a node directly, so these paths exist with and without the base path. */
const directPaths = ['/healthz', '/readyz', '/metrics'];
/** A request target may begin with it. Source: RFC 9112, 3.2.2. */
const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;
/** A path of the API with one slash at its end. */
const lastSlash = /^(\/(?:v1|v2|coffer)\/[^?#]*[^/?#])\/(?=\?|$)/;

/**
 * Parses the setting, such as `https://host/coffer/`; null for an empty text.
 *
 * Throws an Error for anything but an http or https URL whose path has letters, digits and `-._~` only.
 */
export function parsePublicUrl(text: string): PublicUrl | null {
  if (text === '') return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin + url.pathname !== url.href) {
    throw new Error(`Not a public URL: "${text}". Use a URL such as https://host/coffer/`);
  }
  const basePath = url.pathname.replace(/\/$/, '');
  if (!/^(\/[\w.~-]+)*$/.test(basePath)) {
    throw new Error(`The path of "${text}" may have letters, digits and -._~ only`);
  }
  const hostname = url.hostname.replace(/\.$/, '');
  return { href: url.origin + basePath, hostname, basePath };
}

/**
 * Returns the framework's option that changes targets before they are routed: every route is written without the base
 * path, and a path of the API may end in a slash, as those of some clients do.
 */
export function routedTargets(
  publicUrl: PublicUrl | null,
): Pick<FastifyServerOptions, 'rewriteUrl'> {
  const belowBase = (url: string): string =>
    publicUrl === null ? url : (targetBelow(url, publicUrl) ?? url);
  return { rewriteUrl: ({ url = '' }) => belowBase(url).replace(lastSlash, '$1') };
}

/** Returns the hook that ends a request outside the base path with 404. */
export function refuseOutsideBasePath(publicUrl: PublicUrl | null): onRequestHookHandler {
  return ({ originalUrl }, _reply, done) => {
    const isInside =
      publicUrl === null ||
      targetBelow(originalUrl, publicUrl) !== undefined ||
      directPaths.includes(originalUrl.split('?')[0]!);
    done(isInside ? undefined : new Problem('pathNotFound'));
  };
}

/** Returns a target without the base path; undefined outside of it. The path of `/coffer?x=1` is the root. */
function targetBelow(target: string, { basePath }: PublicUrl): string | undefined {
  const [start = ''] = authority.exec(target) ?? [];
  if (!target.startsWith(basePath, start.length)) return undefined;
  const rest = target.slice(start.length + basePath.length);
  if (rest.startsWith('/')) return start + rest;
  return rest === '' || rest.startsWith('?') ? `${start}/${rest}` : undefined;
}
