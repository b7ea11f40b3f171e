import { testShortForms } from '../testing/short-form.ts';
import { check as f02 } from './f02-power-cuts.ts';
import { check as f03 } from './f03-failing-disk.ts';
import { check as f04 } from './f04-disk-full.ts';

testShortForms(f02, f03, f04);
