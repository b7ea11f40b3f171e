import { shortForm } from './testing/short-form.ts';
import { check } from './f14-exact-money.ts';

shortForm(check);
