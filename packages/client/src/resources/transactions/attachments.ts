import type { CallOptions } from '../../sending/options.ts';
import { nothing, objectShape, recordShape } from '../resource.ts';
import type { Call, Schema } from '../resource.ts';

/** A file of a transaction. */
export type TransactionAttachment = Schema<'TransactionAttachment'>;
/** A link to the bytes of a file, and the time until which it is valid. */
export type TransactionAttachmentLink = Schema<'TransactionAttachmentLink'>;

/** A file to attach. */
export interface AttachmentInsert {
  /** JPEG, PNG, PDF, HEIC or HEIF of less than 10 MB. */
  readonly file: Blob | Uint8Array;
  /** Its name; default: that of a `File`, otherwise `file`. */
  readonly name?: string | undefined;
  /** Its type, such as `image/png`; default: that of a `Blob`. Coffer looks at the content instead. */
  readonly type?: string | undefined;
  readonly notes?: string | undefined;
}

/** Methods of the files of transactions. */
export interface TransactionAttachments {
  /** Attaches a file. ApiError 400: another type or too large; 404: the transaction does not exist. */
  attach(
    transactionId: number,
    attachment: AttachmentInsert,
    options?: CallOptions,
  ): Promise<TransactionAttachment>;
  /** A link to the bytes of a file. Everybody who has the link can read them while it is valid. */
  attachmentUrl(fileId: number, options?: CallOptions): Promise<TransactionAttachmentLink>;
  /** Deletes a file. ApiError 404: it does not exist. */
  deleteAttachment(fileId: number, options?: CallOptions): Promise<void>;
}

const base = 'transactions';
const attachment = recordShape<TransactionAttachment>('an attachment');
const link = objectShape<TransactionAttachmentLink>('a link');

/** The {@link TransactionAttachments} of a client. */
export function makeAttachments(call: Call): TransactionAttachments {
  return {
    attach: (id, insert, options) => {
      const path = [base, { id }, 'attachments'];
      return call(attachment, path, { ...options, method: 'POST', body: formOf(insert) });
    },
    attachmentUrl: (id, options) => call(link, [base, 'attachments', { id }], options),
    deleteAttachment: (id, options) =>
      call(nothing, [base, 'attachments', { id }], { ...options, method: 'DELETE' }),
  };
}

function formOf({ file, name, type, notes }: AttachmentInsert): FormData {
  const isBlob = file instanceof Blob;
  // A copy, because a view can be one of shared memory.
  const content = isBlob ? file : new Uint8Array(file);
  const form = new FormData();
  const ownName = isBlob && 'name' in file ? String(file.name) : 'file';
  const ownType = isBlob ? file.type : '';
  form.append('file', new Blob([content], { type: type ?? ownType }), name ?? ownName);
  if (notes !== undefined) form.append('notes', notes);
  return form;
}
