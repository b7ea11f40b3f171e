import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readTarHeader, TAR_BLOCK, tarHeader, tarPadding } from './tar.ts';

const entry = { name: 'records/000001.ndjson', size: 1234 };

describe('a header of a tar archive', () => {
  it('is read as it was written', () => {
    const name = fc.stringMatching(/^[a-z0-9_-]{1,40}(\/[a-z0-9_.-]*[a-z]){0,2}$/);
    const size = fc.integer({ min: 0, max: 8 ** 11 - 1 });
    fc.assert(
      fc.property(name, size, (name, size) => {
        const block = tarHeader({ name, size });
        assert.equal(block.length, TAR_BLOCK);
        assert.deepEqual(readTarHeader(block), { name, size });
        assert.equal((size + tarPadding(size)) % TAR_BLOCK, 0);
      }),
    );
    assert.equal(readTarHeader(new Uint8Array(TAR_BLOCK)), null);
  });

  it('with any other byte is refused, or says the same', () => {
    const block = tarHeader(entry);
    for (let at = 0; at < TAR_BLOCK; at += 1) {
      const changed = Uint8Array.from(block);
      changed[at] = changed[at]! ^ 1;
      // The checksum ends with a blank, which nothing reads.
      if (at === 155) assert.deepEqual(readTarHeader(changed), entry);
      else assert.throws(() => readTarHeader(changed), /damaged/, `byte ${at}`);
    }
  });

  it('of anything but a plain file with a plain name is refused', () => {
    const refused = (name: string, type: string, message: RegExp): void => {
      const block = tarHeader({ name, size: 0 });
      block[156] = type.charCodeAt(0);
      const sum = block.fill(32, 148, 156).reduce((all, byte) => all + byte, 0);
      block.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, '0')}\0 `), 148);
      assert.throws(() => readTarHeader(block), { name: 'TarError', message });
    };
    for (const type of '1235678xgLK')
      refused('book.json', type, new RegExp(`"book.json" is not a plain file .* "${type}"`));
    for (const name of ['../book.json', '/etc/passwd', 'a//b', 'a/../b', 'a\\b', 'c:x', 'a b', ''])
      refused(name, '0', /is not a name that an archive of a book has/);
  });
});
