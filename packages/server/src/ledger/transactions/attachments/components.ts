import { TransactionAttachmentInsert, TransactionAttachmentLink } from './schema.ts';

/** Components of the document about attached files, by name. */
export const attachmentComponents = {
  TransactionAttachmentInsert,
  TransactionAttachmentLink,
} as const;
