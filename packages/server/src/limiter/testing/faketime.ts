import { globSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where systems install libfaketime, which changes the clock of a process. */
const places = [
  '/usr/lib/*/faketime/libfaketime.so.1',
  '/usr/lib*/faketime/libfaketime.so.1',
  '/usr/local/lib/faketime/libfaketime.so.1',
];

/** The file of libfaketime, or undefined where it is not installed. */
export function faketimeLibrary(): string | undefined {
  return places.flatMap((place) => globSync(place))[0];
}

/** The wall clock of one process, which can be set while it runs; the monotonic clock is not affected. */
export class FakeClock {
  readonly #file: string;
  #offsetMs = 0;

  private constructor(file: string) {
    this.#file = file;
  }

  /** Creates a clock that shows the real time; its file is in `folder`. */
  static async start(folder: string): Promise<FakeClock> {
    const clock = new FakeClock(join(folder, 'clock'));
    await clock.set(0);
    return clock;
  }

  /** The environment of a process that uses this clock. */
  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: faketimeLibrary() ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** The milliseconds by which this clock is ahead of the real one. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Sets the clock `offsetMs` ahead of the real one, with immediate effect. */
  async set(offsetMs: number): Promise<void> {
    const sign = offsetMs < 0 ? '-' : '+';
    await writeFile(`${this.#file}.new`, `${sign}${(Math.abs(offsetMs) / 1000).toFixed(3)}\n`);
    await rename(`${this.#file}.new`, this.#file);
    this.#offsetMs = offsetMs;
  }
}
