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
