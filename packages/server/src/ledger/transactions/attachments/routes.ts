import { instantOf } from '@coffer/core/dates';
import { changing } from '../../../book/change.ts';
import { context, type Steps } from '../../../db/engine.ts';
import { isDatabaseError } from '../../../db/errors.ts';
import { find } from '../../../db/rows.ts';
import { transactionFiles, transactions } from '../../../db/tables/tables.ts';
import { contentOf, sizeFault } from '../../../files/content.ts';
import { newKey, type FileStore } from '../../../files/store.ts';
import { Problem } from '../../../operations/problem.ts';
import { created, noContent, ok } from '../../../operations/responses.ts';
import { causeOf, outside, write, read, type Operation } from '../../../operations/operation.ts';
import { recordOf } from '../../../operations/records.ts';
import { attachFile, expectedContent, lostFile, orUnavailable, signatureOf } from './actions.ts';
import type { FileRow, LinkedFile } from './actions.ts';
import { checkedForm, linkMs, linkText, toWire } from './rules.ts';
import { TransactionAttachment } from '../schema.ts';
import { Type, type TUnsafe } from 'typebox';
import type { MultipartForm } from '../../../operations/upload.ts';
import { closed, dateTime, object, optional, someId, text } from '../../../operations/schema.ts';

/** The path of POST /v2/transactions/{transaction_id}/attachments. */
const AttachPath = closed({ transaction_id: someId('Id of the transaction.') });

/** The path of one attachment. */
const AttachmentPath = closed({ file_id: someId('Id of the attachment.') });

/** The form of POST /v2/transactions/{transaction_id}/attachments. */
const TransactionAttachmentInsert = object(
  'TransactionAttachmentInsert',
  'A file to attach, as a form.',
  {
    file: Type.String({
      format: 'binary',
      description: 'JPEG, PNG, PDF, HEIC or HEIF of less than 10 MB; its content decides.',
    }),
    notes: optional(text('Notes about the file.')),
  },
  { example: { file: '(bytes)', notes: 'For the office' } },
) as unknown as TUnsafe<MultipartForm>;

/** A link to the bytes of an attachment. */
const TransactionAttachmentLink = object(
  'TransactionAttachmentLink',
  'A link from which the file can be downloaded without a token, until it expires.',
  {
    url: Type.String({ format: 'uri', description: 'The link. Keep it secret.' }),
    expires_at: dateTime('When the link expires.'),
  },
  {
    example: {
      url: 'https://coffer.example/coffer/files/31?book=7&expires=1773559800&signature=0OoH',
      expires_at: '2026-03-15T07:30:00.000Z',
    },
  },
);

const tag = 'attachments';
const one = {
  path: '/v2/transactions/attachments/{file_id}',
  tag,
  params: AttachmentPath,
} as const;

/** Returns the operations of files that are attached to transactions. */
export function attachmentRoutes({ files }: { readonly files: FileStore }): readonly Operation[] {
  return [attachRoute(files), linkRoute(files), deleteRoute];
}

function attachRoute(files: FileStore): Operation {
  const declaration = {
    id: 'attachFileToTransaction',
    path: '/v2/transactions/{transaction_id}/attachments',
    tag,
    summary: 'Attach a file to a transaction',
    description:
      'The content of the file decides its type. ' +
      'A form that is sent as `application/json` is accepted too, because some clients do that.',
    params: AttachPath,
    body: TransactionAttachmentInsert,
    multipart: true,
    response: created(TransactionAttachment, 'The new attachment.'),
  } as const;
  return outside('POST', declaration, async (request, engine) => {
    const { bookId, identity, params } = request;
    const transactionId = params.transaction_id;
    const transactionExists = () => recordOf(transactions, 'transaction', bookId, transactionId);
    await engine.read(transactionExists);
    const file = checkedForm(request.body);
    const key = newKey(bookId);
    const content = contentOf(file.bytes);
    await orUnavailable(files.write(key, file.bytes));
    try {
      const row = await engine.write(() =>
        changing(causeOf(declaration, request), function* (change) {
          yield* transactionExists();
          const uploadedBy = identity.user.id;
          return yield* attachFile(change, { transactionId, uploadedBy, file, key, content });
        }),
      );
      return toWire(row);
    } catch (error) {
      // A record that may be stored needs its bytes. Otherwise the job deletes them later.
      if (!(isDatabaseError(error) && error.mayBeStored))
        await files.remove(key).catch(() => undefined);
      throw error;
    }
  });
}

function linkRoute(files: FileStore): Operation {
  return read(
    {
      ...one,
      id: 'getTransactionAttachmentUrl',
      summary: 'Get a link to an attachment',
      description:
        'The link is valid for an hour, and needs no token. ' +
        'If the bytes of the attachment are lost, the response is 500, here or for the link.',
      isSecret: true,
      response: ok(TransactionAttachmentLink, 'The link.'),
    },
    async ({ bookId, params: { file_id: id }, baseUrl }, engine) => {
      const file = await engine.read(() => linkedFile(bookId, id));
      const { key, name, type, nowMs } = file;
      // Links have whole seconds.
      const expiresAtMs = Math.ceil((nowMs + linkMs) / 1000) * 1000;
      const link = { bookId, id, expiresAtMs };
      const ofStore = files.linkTo(key, { name, type, nowMs, expiresAtMs });
      // Our own link checks the bytes when it is followed.
      const fault = ofStore && sizeFault(file, await orUnavailable(files.size(key)));
      if (fault !== null) throw lostFile(id, fault);
      const signature = await engine.read(() => signatureOf(link, key));
      const url = ofStore ?? baseUrl + linkText({ ...link, signature });
      return { url, expires_at: instantOf(expiresAtMs) };
    },
    // It depends on the time.
    { inParts: true, isVolatile: true },
  );
}

function* linkedFile(bookId: number, id: number): Steps<LinkedFile & { readonly nowMs: number }> {
  const { name, type, size, storage_key: key } = yield* fileOf(bookId, id);
  if (key === null) throw noSuchFile(id);
  const content = yield* expectedContent(bookId, key);
  const { nowMs } = yield* context();
  return { id, key, name, type, kilobytes: size, content, nowMs };
}

const deleteRoute = write(
  'DELETE',
  {
    ...one,
    id: 'deleteTransactionAttachment',
    summary: 'Delete an attachment',
    description: 'Links to it stop working, unless an S3 store serves them.',
    response: noContent('The attachment is deleted.'),
  },
  function* ({ bookId, params }, change) {
    yield* change.remove(transactionFiles, yield* fileOf(bookId, params.file_id));
  },
);

function* fileOf(bookId: number, id: number): Steps<FileRow> {
  const found = yield* find(transactionFiles, { book_id: bookId, id });
  if (found === undefined) throw noSuchFile(id);
  return found;
}

function noSuchFile(id: number): Problem {
  const details = [{ errMsg: `File attachment ${id} not found` }];
  return new Problem('recordNotFound', { details });
}
