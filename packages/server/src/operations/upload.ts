/** A file that was received. */
export interface ReceivedFile {
  /** The name that the client gave it in a form; null if it gave none. */
  readonly name: string | null;
  readonly bytes: number;
  /** SHA-256 in hexadecimal digits. */
  readonly hash: string;
  /** Returns the open file, which the caller must close. May be called once. */
  take(): number;
  /** Closes the file unless it was taken. */
  close(): void;
}

/** The body of a request that sends a file. */
export interface Upload {
  /** Null for a form without a file. */
  readonly file: ReceivedFile | null;
  /** The other fields of a form. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/** Largest file in bytes, inclusive: 50 MB. */
export const maxFileBytes = 50 * 1024 * 1024;

/** A file in a form that is read into memory. */
export interface AttachedFile {
  /** The name that the client gave it; may be empty. */
  readonly name: string;
  /** The media type that the client gave it. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A body of the type multipart/form-data: its names and values in order. */
export type MultipartForm = readonly (readonly [name: string, value: string | AttachedFile])[];

/** Largest file of a form in bytes, exclusive: 10 MB. */
export const maxUploadBytes = 10 * 1024 * 1024;

/** Largest form in bytes, inclusive: a file, and room for notes and for the lines between the parts. */
export const maxFormBytes = maxUploadBytes + 64 * 1024;

/** The message about a file of {@link maxUploadBytes} or more. */
export const uploadTooLarge = 'File size exceeds maximum allowed size of 10MB';
