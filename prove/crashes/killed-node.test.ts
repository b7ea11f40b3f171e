import { testShortForms } from '../testing/short-form.ts';
import { check as f30 } from './f30-killed-node.ts';

testShortForms(f30);
