import { integerFrom, type Random } from '../../test/service/random.ts';
import type { Deed } from './recording.ts';

/** Which of the writes that were not synced reach the disk. */
type Survival = 'none' | 'some';

/** Files by name, as they are on the disk after a power cut. */
export type Image = ReadonlyMap<string, Buffer>;

export interface Cut {
  readonly position: number;
  readonly survival: Survival;
  readonly image: Image;
}

type Change = Extract<Deed, { kind: 'write' | 'truncate' }>;

/** A drive may write a part of a write, but never a part of a sector. */
const sectorBytes = 512;
const tornShare = 0.25;

/** A disk that keeps only synced writes for certain. */
class Disk {
  readonly #durable = new Map<string, Buffer>();
  readonly #pending = new Map<string, Change[]>();

  constructor(image: Image) {
    // Copied, because writes change it in place.
    for (const [file, content] of image) this.#durable.set(file, Buffer.from(content));
  }

  do(deed: Deed): void {
    if (deed.kind === 'say') return;
    const { file } = deed;
    if (deed.kind === 'remove') {
      this.#durable.delete(file);
      this.#pending.delete(file);
    } else if (deed.kind === 'sync') {
      for (const change of this.#pending.get(file) ?? []) this.#apply(change);
      this.#pending.delete(file);
    } else {
      const pending = this.#pending.get(file);
      if (pending === undefined) this.#pending.set(file, [deed]);
      else pending.push(deed);
    }
  }

  cut(survival: Survival, random: Random): Image {
    const image = new Map(this.#durable);
    if (survival === 'none') return image;
    for (const change of [...this.#pending.values()].flat()) {
      if (random() < 0.5) continue;
      const { file } = change;
      // Copied before the first change, because the disk continues.
      const before = image.get(file) ?? Buffer.alloc(0);
      const content = before === this.#durable.get(file) ? Buffer.from(before) : before;
      image.set(file, changed(content, torn(change, random)));
    }
    return image;
  }

  #apply(change: Change): void {
    const content = this.#durable.get(change.file) ?? Buffer.alloc(0);
    this.#durable.set(change.file, changed(content, change));
  }
}

/**
 * Cuts the power at `count` random places of a recording. In every other cut, some unsynced writes survive. `before` is
 * the content of the disk at the start of the recording. An image is valid until the next one is requested.
 */
export function* cutPower(
  deeds: readonly Deed[],
  before: Image,
  count: number,
  random: Random,
): Generator<Cut> {
  const positions = Array.from({ length: count }, () => integerFrom(random, 0, deeds.length));
  const disk = new Disk(before);
  let done = 0;
  for (const [index, position] of positions.toSorted((a, b) => a - b).entries()) {
    for (; done < position; done += 1) disk.do(deeds[done]!);
    const survival = index % 2 === 0 ? 'none' : 'some';
    yield { position, survival, image: disk.cut(survival, random) };
  }
}

/** Returns the content after a change, in the same memory where that is large enough. */
function changed(content: Buffer, change: Change): Buffer {
  const end = change.kind === 'write' ? change.offset + change.data.length : change.size;
  const isGrown = end > content.length;
  const result = isGrown ? Buffer.concat([content, Buffer.alloc(end - content.length)]) : content;
  if (change.kind === 'truncate') return result.subarray(0, end);
  change.data.copy(result, change.offset);
  return result;
}

/** Returns the change, or sometimes only its beginning or end, cut at the end of a sector. */
function torn(change: Change, random: Random): Change {
  if (change.kind === 'truncate' || random() >= tornShare) return change;
  const { offset, data } = change;
  const first = Math.ceil((offset + 1) / sectorBytes) * sectorBytes;
  const last = Math.floor((offset + data.length - 1) / sectorBytes) * sectorBytes;
  if (first > last) return change;
  const cutAt = first + integerFrom(random, 0, (last - first) / sectorBytes) * sectorBytes - offset;
  if (random() < 0.5) return { ...change, data: data.subarray(0, cutAt) };
  return { ...change, offset: offset + cutAt, data: data.subarray(cutAt) };
}
