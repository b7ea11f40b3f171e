import type { MigrationWords } from '../words.ts';

/** Where the bytes of attached files are, and the key that signs links to them. */
export function files({ text, randomId }: MigrationWords): string {
  return `
ALTER TABLE transaction_files ADD COLUMN storage_key ${text};
INSERT INTO database_identity (name, value) VALUES ('file_links', ${randomId});
`;
}
