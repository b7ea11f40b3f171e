import { Type, type Static, type TUnsafe } from 'typebox';
import { maxId } from '@coffer/core/ids';
import type { MultipartForm } from '../../../operations/multipart.ts';
import { dateTime, object } from '../../../operations/schema.ts';

const anyId = (description: string) =>
  Type.Integer({ minimum: -maxId, maximum: maxId, description });

/** The path of POST /v2/transactions/{transaction_id}/attachments. */
export const AttachPath = Type.Object(
  { transaction_id: anyId('Id of the transaction.') },
  { additionalProperties: false },
);

/** The path of one attachment. */
export const AttachmentPath = Type.Object(
  { file_id: anyId('Id of the attachment.') },
  { additionalProperties: false },
);

/** The form of POST /v2/transactions/{transaction_id}/attachments. */
export const TransactionAttachmentInsert = object(
  'TransactionAttachmentInsert',
  'A file to attach, as a form.',
  {
    file: Type.String({
      format: 'binary',
      description: 'JPEG, PNG, PDF, HEIC or HEIF of less than 10 MB; its content decides.',
    }),
    notes: Type.Optional(Type.String({ description: 'Notes about the file.' })),
  },
) as unknown as TUnsafe<MultipartForm>;

/** A link to the bytes of an attachment. */
export const TransactionAttachmentLink = object(
  'TransactionAttachmentLink',
  'A link from which the file can be downloaded without a token, until it expires.',
  {
    url: Type.String({ format: 'uri', description: 'The link. Keep it secret.' }),
    expires_at: dateTime('When the link expires.'),
  },
);
export type TransactionAttachmentLink = Static<typeof TransactionAttachmentLink>;

const link: TransactionAttachmentLink = {
  url: 'https://coffer.example/coffer/files/31?book=7&expires=1773559800&signature=0OoH',
  expires_at: '2026-03-15T07:30:00.000Z',
};

/** Example bodies; tests check each against its schema. */
export const attachmentExamples = {
  one: {
    receipt: {
      summary: 'A receipt',
      value: {
        id: 31,
        uploaded_by: 1,
        name: 'receipt.png',
        type: 'image/png',
        size: 4330,
        notes: null,
        created_at: '2026-03-15T06:30:00.250Z',
      },
    },
  },
  insert: {
    receipt: { summary: 'With notes', value: { file: '(bytes)', notes: 'For the office' } },
  },
  link: { link: { summary: 'A link for an hour', value: link } },
};
