import { testShortForms } from '../testing/short-form.ts';
import { check as f35 } from './f35-webhooks.ts';

testShortForms(f35);
