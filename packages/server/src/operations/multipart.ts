/** A file in a form. */
export interface Upload {
  /** The name that the client gave it; may be empty. */
  readonly name: string;
  /** The media type that the client gave it. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A body of the type multipart/form-data: its names and values in order. */
export type MultipartForm = readonly (readonly [name: string, value: string | Upload])[];

/** Largest file of a form in bytes, exclusive: 10 MB. */
export const maxUploadBytes = 10 * 1024 * 1024;

/** Largest form in bytes, inclusive: a file, and room for notes and for the lines between the parts. */
export const maxFormBytes = maxUploadBytes + 64 * 1024;

/** The message about a file of {@link maxUploadBytes} or more. */
export const uploadTooLarge = 'File size exceeds maximum allowed size of 10MB';
