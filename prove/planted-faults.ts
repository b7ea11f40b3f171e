import { accessFaults } from './planted/access-faults.ts';
import { backupFaults } from './planted/backup-faults.ts';
import { clientFaults } from './planted/client-faults.ts';
import { connectorFaults } from './planted/connector-faults.ts';
import { cryptoFaults } from './planted/crypto-faults.ts';
import { engineFaults } from './planted/engine-faults.ts';
import { fileFaults } from './planted/file-faults.ts';
import { limiterFaults } from './planted/limiter-faults.ts';
import { moneyFaults } from './planted/money-faults.ts';
import { moveFaults } from './planted/move-faults.ts';
import { nodesFaults } from './planted/nodes-faults.ts';
import { operationFaults } from './planted/operation-faults.ts';
import type { PlantedFault } from './planted/planted-fault.ts';
import { postgresFaults } from './planted/postgres-faults.ts';
import { recordFaults } from './planted/record-faults.ts';
import { redisFaults } from './planted/redis-faults.ts';
import { scaleFaults } from './planted/scale-faults.ts';
import { storeFaults } from './planted/store-faults.ts';

/** Every guard that is removed once. A new guard gets its line in the file of its room. */
export const plantedFaults: readonly PlantedFault[] = [
  ...limiterFaults,
  ...redisFaults,
  ...recordFaults,
  ...accessFaults,
  ...moneyFaults,
  ...operationFaults,
  ...fileFaults,
  ...cryptoFaults,
  ...connectorFaults,
  ...clientFaults,
  ...scaleFaults,
  ...storeFaults,
  ...nodesFaults,
  ...backupFaults,
  ...moveFaults,
  ...postgresFaults,
  ...engineFaults,
];
