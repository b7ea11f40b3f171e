import { hash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { PublicUrl } from '../server/routing.ts';
import { once, ownFile, type Page } from './page.ts';

const template = once(async () => ({
  contentType: 'text/html; charset=utf-8',
  bytes: await ownFile('welcome.html'),
}));

/** What the welcome page shows. */
export interface WelcomeOptions {
  readonly version: string;
  readonly publicUrl: PublicUrl | null;
  /** Why there is no browser UI; null when it was turned off. */
  readonly webProblem: string | null;
  readonly socket: Socket;
}

/**
 * GET /: shows what Coffer is, that it is running, and how to start.
 *
 * It shows the public URL; without one, the address at which the connection was accepted, never the Host header.
 */
export async function welcomePage(options: WelcomeOptions): Promise<Page> {
  const { version, publicUrl, webProblem, socket } = options;
  const { contentType, bytes } = await template();
  const html = bytes
    .toString()
    .replace('{{version}}', version)
    .replaceAll('{{base}}', publicUrl?.basePath ?? '')
    .replaceAll('{{address}}', publicUrl?.href ?? originOf(socket))
    .replace('{{problem}}', () => (webProblem === null ? '' : paragraphOf(webProblem)));
  const policy = policyFor(html);
  return { contentType, bytes: Buffer.from(html), policy, isMadeEachTime: true };
}

function originOf({ localAddress = '127.0.0.1', localPort = 8080 }: Socket): string {
  const address = localAddress.replace(/^::ffff:/, '');
  return `http://${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

function paragraphOf(problem: string): string {
  const escaped = problem.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<p class="problem"><strong>There is no browser UI:</strong> ${escaped}</p>`;
}

/** No scripts, and no styles except the one in the page. */
function policyFor(html: string): string {
  const style = /<style>([^<]*)<\/style>/.exec(html)?.[1] ?? '';
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
