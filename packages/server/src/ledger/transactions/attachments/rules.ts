import { storable } from '@coffer/core/text';
import type { Row } from '../../../db/table.ts';
import type { transactionFiles } from '../../../db/tables/tables.ts';
import { maxUploadBytes, uploadTooLarge } from '../../../operations/upload.ts';
import type { MultipartForm, AttachedFile } from '../../../operations/upload.ts';
import { bodyProblem, type ErrorDetail } from '../../../operations/problem.ts';
import type { TransactionAttachment } from '../schema.ts';

/** The types of files that can be attached, in the order of messages, with the endings of their names. */
const endings = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'application/pdf': 'pdf',
  'image/heic': 'heic',
  'image/heif': 'heif',
} as const;
export type AttachmentType = keyof typeof endings;

const maxNameLength = 255;
const maxNotesLength = 65_536;

/** A file of a request, checked. */
export interface CheckedFile {
  readonly name: string;
  readonly type: AttachmentType;
  readonly bytes: Uint8Array;
  readonly notes: string | null;
}

/** Returns the file and the notes of a form. Throws one Problem for everything that is wrong with it. */
export function checkedForm(form: MultipartForm): CheckedFile {
  const problems: ErrorDetail[] = [];
  const values = new Map<string, string | AttachedFile>();
  for (const [name, value] of form) {
    if (name !== 'file' && name !== 'notes') problems.push(unknown(name));
    else if (values.has(name)) problems.push(about(name, `Property '${name}' must be sent once`));
    else values.set(name, value);
  }
  const [file, notes = null] = [values.get('file'), values.get('notes')];
  if (file === undefined) problems.push(about('file', "Missing property 'file'"));
  else if (typeof file === 'string') problems.push(wrongType('file', 'object', 'string'));
  else problems.push(...fileProblems(file));
  if (notes !== null) problems.push(...notesProblems(notes));
  const type = typeof file === 'object' ? typeOf(file.bytes) : null;
  if (problems.length > 0 || typeof file !== 'object' || type === null)
    throw bodyProblem(...problems);
  const { bytes } = file;
  return { name: nameOf(file.name, type), type, bytes, notes: notes as string | null };
}

function fileProblems({ bytes, type }: AttachedFile): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  if (bytes.length >= maxUploadBytes) problems.push(about('file', uploadTooLarge));
  if (typeOf(bytes) !== null) return problems;
  const [declared = ''] = type.split(';', 1);
  const what = declared in endings ? `whose content is not ${declared}` : declared;
  const allowed = Object.keys(endings).join(', ');
  const errMsg = `File type ${what} not allowed. Allowed types are: ${allowed}`;
  return [...problems, about('file', errMsg)];
}

function notesProblems(notes: string | AttachedFile): ErrorDetail[] {
  if (typeof notes !== 'string') return [wrongType('notes', 'string', 'object')];
  if (notes !== storable(notes))
    return [about('notes', "Property 'notes' must not contain NUL characters")];
  if (notes.length <= maxNotesLength) return [];
  return [about('notes', `Property 'notes' must be at most ${maxNotesLength} characters long`)];
}

function unknown(name: string): ErrorDetail {
  return about(name, `Invalid property ${JSON.stringify(name)} in request body.`);
}

function wrongType(name: string, expected: string, received: string): ErrorDetail {
  const errMsg = `Invalid value for property '${name}'. Expected '${expected}', received '${received}'`;
  return { errMsg, error: 'Invalid type', invalid_property: name };
}

function about(name: string, errMsg: string): ErrorDetail {
  return { errMsg, invalid_property: name };
}

/** Returns the type of a file by its first bytes; null if it cannot be attached. Source: the formats' own documents. */
export function typeOf(bytes: Uint8Array): AttachmentType | null {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (start.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (start.startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png';
  if (start.startsWith('%PDF-')) return 'application/pdf';
  if (start.slice(4, 8) !== 'ftyp') return null;
  const brand = start.slice(8, 12);
  if (/^he(ic|ix|im|is|vc|vx|vm|vs)$/.test(brand)) return 'image/heic';
  return /^(mif1|msf1|mif2)$/.test(brand) ? 'image/heif' : null;
}

/** Returns the name of a file without folders and control characters; one by its type if nothing is left. */
export function nameOf(sent: string, type: AttachmentType): string {
  const last = storable(sent).split(/[/\\]/).at(-1) ?? '';
  const printable = last.replaceAll(/\p{Cc}/gu, '').trim();
  const name = [...printable].slice(0, maxNameLength).join('');
  return /^\.*$/.test(name) ? `file.${endings[type]}` : name;
}

type FileRow = Row<typeof transactionFiles>;

/** Returns an attachment as in a response. */
export function toWire(row: FileRow): TransactionAttachment {
  const { id, uploaded_by, name, type, size, notes, created_at } = row;
  return { id, uploaded_by, name, type, size, notes, created_at };
}

/** Links to files work for this time. */
export const linkMs = 3_600_000;

/** How the paths of links to files begin. */
export const filesPath = '/coffer/files/';

/** The parts of a link to a file. */
export interface FileLink {
  readonly bookId: number;
  readonly id: number;
  readonly expiresAtMs: number;
  readonly signature: string;
}

/** Returns the path and query of a link. */
export function linkText({ bookId, id, expiresAtMs, signature }: FileLink): string {
  return `${filesPath}${id}?book=${bookId}&expires=${expiresAtMs / 1000}&signature=${signature}`;
}

const linkQuery = /^book=([1-9]\d{0,15})&expires=([1-9]\d{0,10})&signature=([\w-]{43})$/;

/** Returns the parts of a link whose path ends in `id`, in exactly the form of {@link linkText}; otherwise null. */
export function readLink(id: string, query: string): FileLink | null {
  const [, book = '', expires = '', signature = ''] = linkQuery.exec(query) ?? [];
  const link = { bookId: Number(book), id: Number(id), expiresAtMs: Number(expires) * 1000 };
  const isExact = linkText({ ...link, signature }) === `${filesPath}${id}?${query}`;
  return isExact && Number.isSafeInteger(link.id) ? { ...link, signature } : null;
}
