import type { Check } from './check.ts';
import { check as f01 } from './f01-kills.ts';
import { check as f02 } from './f02-power-cuts.ts';
import { check as f03 } from './f03-failing-disk.ts';
import { check as f04 } from './f04-disk-full.ts';
import { check as f05 } from './f05-concurrent.ts';
import { check as f06 } from './f06-waiting-clients.ts';
import { check as f07 } from './f07-many-sources.ts';
import { check as f08 } from './f08-clock-jumps.ts';
import { check as f09 } from './f09-redis-faults.ts';
import { check as f10 } from './f10-fuzz.ts';
import { check as f11 } from './f11-foreign-records.ts';
import { check as f12 } from './f12-pages.ts';
import { check as f13 } from './f13-snapshots.ts';
import { check as f14 } from './f14-exact-money.ts';
import { check as f16 } from './f16-sigterm.ts';
import { check as f17 } from './f17-slow-clients.ts';
import { check as f18 } from './f18-restore-drills.ts';
import { check as f19 } from './f19-migrations.ts';
import { check as f20 } from './f20-postgres-faults.ts';
import { check as f21 } from './f21-write-lock.ts';
import { check as f22 } from './f22-hostile-files.ts';
import { check as f23 } from './f23-secrets.ts';
import { check as f25 } from './f25-formulas.ts';
import { check as f26 } from './f26-regular-expressions.ts';
import { check as f28 } from './f28-planted-faults.ts';
import { check as f29 } from './f29-client.ts';
import { check as f30 } from './f30-killed-node.ts';

/** Every check, in the order of its number. */
export const checks: readonly Check[] = [
  f01,
  f02,
  f03,
  f04,
  f05,
  f06,
  f07,
  f08,
  f09,
  f10,
  f11,
  f12,
  f13,
  f14,
  f16,
  f17,
  f18,
  f19,
  f20,
  f21,
  f22,
  f23,
  f25,
  f26,
  f28,
  f29,
  f30,
];
