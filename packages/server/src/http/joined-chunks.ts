/** Chunks of a body, which a client can make as short as a byte. */
const mostLoose = 1000;

/**
 * Collects chunks of a body. A chunk costs about 300 bytes of memory besides its content, so each thousand is joined: a
 * body of 10 MB in chunks of one byte would otherwise need 1.5 GB.
 */
export class JoinedChunks {
  #joined: Buffer[] = [];
  #loose: Buffer[] = [];
  bytes = 0;

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#loose.push(chunk);
    if (this.#loose.length < mostLoose) return;
    this.#joined.push(Buffer.concat(this.#loose));
    this.#loose = [];
  }

  /** Returns all bytes in their order, and begins again with none. */
  take(): Buffer {
    const all = [...this.#joined, ...this.#loose];
    const { bytes } = this;
    [this.#joined, this.#loose, this.bytes] = [[], [], 0];
    return all.length === 1 ? all[0]! : Buffer.concat(all, bytes);
  }
}
