import { shortForm } from './testing/short-form.ts';
import { check } from './f08-clock-jumps.ts';

shortForm(check);
