import { testShortForms } from '../testing/short-form.ts';
import { check as f10 } from './f10-fuzz.ts';
import { check as f11 } from './f11-foreign-records.ts';
import { check as f17 } from './f17-slow-clients.ts';
import { check as f24 } from './f24-addresses.ts';

testShortForms(f10, f11, f17, f24);
