import { shortForm } from './testing/short-form.ts';
import { check } from './f02-power-cuts.ts';

shortForm(check);
