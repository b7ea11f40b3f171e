import { testShortForms } from '../testing/short-form.ts';
import { check as f12 } from './f12-pages.ts';
import { check as f13 } from './f13-snapshots.ts';
import { check as f14 } from './f14-exact-money.ts';
import { check as f15 } from './f15-repeated-writes.ts';
import { check as f31 } from './f31-polling.ts';

testShortForms(f12, f13, f14, f15, f31);
