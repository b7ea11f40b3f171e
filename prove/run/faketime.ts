import { globSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where systems keep libfaketime, which gives a process another clock. */
const places = [
  '/usr/lib/*/faketime/libfaketime.so.1',
  '/usr/lib*/faketime/libfaketime.so.1',
  '/usr/local/lib/faketime/libfaketime.so.1',
];

/** The file of libfaketime, or undefined where it is not installed. */
export function faketimeLibrary(): string | undefined {
  return places.flatMap((place) => globSync(place))[0];
}

/** The wall clock of one process, which can be set while it runs; its monotonic clock stays as it is. */
export class FakeClock {
  readonly #file: string;
  #offsetMs = 0;

  private constructor(file: string) {
    this.#file = file;
  }

  /** A clock that goes right, kept in `folder`. */
  static async start(folder: string): Promise<FakeClock> {
    const clock = new FakeClock(join(folder, 'clock'));
    await clock.set(0);
    return clock;
  }

  /** What a process has to find in its environment to go by this clock. */
  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: faketimeLibrary() ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** How far the clock is ahead of the real one, in milliseconds. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Sets the clock `offsetMs` ahead of the real one, at once for all that look at it. */
  async set(offsetMs: number): Promise<void> {
    const sign = offsetMs < 0 ? '-' : '+';
    await writeFile(`${this.#file}.new`, `${sign}${(Math.abs(offsetMs) / 1000).toFixed(3)}\n`);
    await rename(`${this.#file}.new`, this.#file);
    this.#offsetMs = offsetMs;
  }
}
