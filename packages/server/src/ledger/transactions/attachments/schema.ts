import { Type } from 'typebox';
import type { Static, TUnsafe } from 'typebox';
import type { MultipartForm } from '../../../operations/upload.ts';
import { closed, dateTime, object, optional, someId, text } from '../../../operations/schema.ts';

const anyId = (description: string) => someId(description);

/** The path of POST /v2/transactions/{transaction_id}/attachments. */
export const AttachPath = closed({ transaction_id: anyId('Id of the transaction.') });

/** The path of one attachment. */
export const AttachmentPath = closed({ file_id: anyId('Id of the attachment.') });

/** The form of POST /v2/transactions/{transaction_id}/attachments. */
export const TransactionAttachmentInsert = object(
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
export const TransactionAttachmentLink = object(
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
export type TransactionAttachmentLink = Static<typeof TransactionAttachmentLink>;
