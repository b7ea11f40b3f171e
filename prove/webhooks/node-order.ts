export interface NodeOrder {
  readonly database: string;
  readonly bookId: number;
  readonly seed: number;
  /** It changes the book up to this version. */
  readonly versions: number;
}

export const sealingKey = Buffer.alloc(32, 7);
