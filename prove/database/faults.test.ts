import { testShortForms } from '../testing/short-form.ts';
import { check as f20 } from './f20-postgres-faults.ts';
import { check as f21 } from './f21-write-lock.ts';

testShortForms(f20, f21);
