import { testShortForms } from '../testing/short-form.ts';
import { check as f05 } from './f05-concurrent.ts';
import { check as f06 } from './f06-waiting-clients.ts';
import { check as f07 } from './f07-many-sources.ts';
import { check as f08 } from './f08-clock-jumps.ts';
import { check as f09 } from './f09-redis-faults.ts';

testShortForms(f05, f06, f07, f08, f09);
