import { faultsOf, type PlantedFault } from './planted-fault.ts';

const store = 'packages/server/src/store';
const model = ['test/scale.test.ts'];

/** What makes PostgreSQL quick, and the model of what many need. */
export const scaleFaults: readonly PlantedFault[] = [
  ...faultsOf(`${store}/row-bytes.ts`, ['row-bytes.test.ts'], {
    'a head that comes in two pieces is read as one': [
      'bytes.length - at < (mayBeRow ? rowHeadLength : headLength)',
      'bytes.length - at < headLength',
    ],
    'what comes in pieces is taken from the second piece on': [
      'this.#held = bytes.subarray(at);',
      'this.#held = null;',
    ],
    'rows of two columns are taken for rows of one': [
      ' && bytes.readUInt16BE(at + headLength) === 1',
      '',
    ],
    'rows run into one another': ['if (this.#hasTaken) this.#append(separator, 0, 1);', ''],
    'a row is taken by whom it is not for': [
      'this.#isTaking && bytes[at] === dataRow',
      'bytes[at] === dataRow',
    ],
    'the bytes of one page are written over by the next': [
      'this.#joined = Buffer.allocUnsafeSlow(0);',
      '',
    ],
  }),
  ...faultsOf(`${store}/copy-rows.ts`, ['copy-rows.test.ts'], {
    'a text may end its row': [
      'value.replace(special, (character) => escapes[character] ?? character)',
      'value',
    ],
    'no value is an empty text': [
      "if (value === null) return '\\\\N';",
      "if (value === null) return '';",
    ],
  }),
  ...faultsOf(`${store}/postgres-connection.ts`, ['copy-rows.test.ts'], {
    'rows that could not be written are forgotten': [
      'if (writing !== null) await writing;',
      'if (writing !== null) await writing.catch(() => undefined);',
    ],
    'the last rows of a migration are not asked after': [
      'async command(text: string): Promise<void> {\n    await this.#written();',
      'async command(text: string): Promise<void> {',
    ],
    'after an error rows go on being taken': [
      'rowBytes.end();\n      throw error;',
      'throw error;',
    ],
  }),
  ...faultsOf(`${store}/engine.ts`, ['copy-rows.test.ts'], {
    'two statements see two instants where one was promised': [
      "throw new Error('An operation of one statement asked for another one');",
      'return yield* steps;',
    ],
  }),
  ...faultsOf('bench/capacity-costs.ts', model, {
    'the client costs nothing': ['(cpuMs + costs.clientMs)', 'cpuMs'],
    'one node does the work of all': ['(1000 * nodes) / costs.nodeMs', 'Infinity'],
  }),
  ...faultsOf('bench/sizing.ts', model, {
    'every processor is busy all the time': ['/ assumed.usedShare;', ';'],
    'a shard has one copy': [' * assumed.copies', ''],
    'the busiest second is the mean of a day': [') * assumed.peak', ')'],
  }),
  ...faultsOf('bench/scale-document.ts', model, {
    'a figure of the document is not the measured one': [
      'number(request.postgresTrips, 1)',
      'number(request.postgresTrips + 1, 1)',
    ],
  }),
];
