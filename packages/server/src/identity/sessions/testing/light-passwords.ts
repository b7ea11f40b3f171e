import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { mock } from 'node:test';

type Scrypt = (...given: Parameters<typeof crypto.scrypt>) => void;

/** Lets the hash of a password need hardly any work until the end of the file, after a look at the work asked for. */
export function lightenPasswords(): void {
  const { scrypt } = crypto;
  const light: Scrypt = (password, salt, size, options, done) => {
    assert.deepEqual([options.N, options.r, options.p], [2 ** 15, 8, 3]);
    scrypt(password, salt, size, { N: 2 }, done);
  };
  mock.method(crypto, 'scrypt', light as typeof scrypt);
}
