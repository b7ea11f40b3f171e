/** A guard of the service that is removed, and the tests that have to miss it. */
export interface PlantedFault {
  /** What is wrong then, in a few words. */
  readonly name: string;
  /** The file that has the guard. */
  readonly file: string;
  /** Text that stands in the file exactly once. */
  readonly text: string;
  readonly replacement: string;
  /** Test files, of which one at least must fail, the likeliest first. */
  readonly tests: readonly string[];
}

/** What is wrong, by the text that stands in a file and what it is replaced by. */
type Faults = Readonly<Record<string, readonly [text: string, replacement: string]>>;

/** The faults of one file, which the same tests catch. `tests` beside the file may be named without their folder. */
export function faultsOf(file: string, tests: readonly string[], faults: Faults): PlantedFault[] {
  const folder = file.slice(0, file.lastIndexOf('/'));
  const paths = tests.map((test) => (test.includes('/') ? test : `${folder}/${test}`));
  return Object.entries(faults).map(([name, [text, replacement]]) => ({
    name,
    file,
    text,
    replacement,
    tests: paths,
  }));
}
