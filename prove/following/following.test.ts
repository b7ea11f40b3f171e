import { testShortForms } from '../testing/short-form.ts';
import { check as f34 } from './f34-mirror.ts';

testShortForms(f34);
