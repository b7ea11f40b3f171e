import { contentDisposition, readChecked } from '../files/content.ts';
import { hasToWait } from '@coffer/core/dates';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Engine } from '../db/engine.ts';
import type { FileStore } from '../files/store.ts';
import { fileOfLink, lostFile, orUnavailable } from '../ledger/transactions/attachments/actions.ts';
import { filesPath, linkMs, readLink } from '../ledger/transactions/attachments/rules.ts';
import { Problem } from '../operations/problem.ts';
import { addGet } from './pages.ts';

/** What serves files by links. */
export interface FileOptions {
  readonly engine: Engine;
  readonly files: FileStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Run for every request, in this order. */
  readonly hooks: readonly onRequestHookHandler[];
}

/**
 * Adds `GET /coffer/files/{id}`, which sends the bytes of an attached file to everyone who has its link, until the link
 * expires. It needs no token, so that browsers can open it.
 *
 * A link that is not valid, not valid any more, or whose file was deleted returns 404. If the bytes are not those that
 * were attached, the response is 500, never the wrong bytes. Browsers save the file: they do
 * not guess its type, and run nothing in it.
 */
export function addFiles(app: FastifyInstance, options: FileOptions): void {
  addGet(app, `${filesPath}:id`, options.hooks, (request, reply) =>
    sendFile(request, reply, options),
  );
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { engine, files, now }: FileOptions,
): Promise<FastifyReply> {
  const { id } = request.params as { id: string };
  const { text } = request.query as { text: string };
  const link = readLink(id, text);
  if (link === null || !hasToWait(link.expiresAtMs, now(), linkMs)) throw noSuchLink();
  const file = await engine.read(() => fileOfLink(link));
  if (file === null) throw noSuchLink();
  const bytes = await orUnavailable(readChecked(files, file));
  if (typeof bytes === 'string') throw lostFile(file.id, bytes);
  return reply
    .headers({
      'content-type': file.type,
      'content-disposition': contentDisposition(file.name),
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
    })
    .send(bytes);
}

function noSuchLink(): Problem {
  const details = [{ errMsg: 'The link is not valid, or has expired' }];
  return new Problem('pathNotFound', { details });
}
