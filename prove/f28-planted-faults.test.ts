import { shortForm } from './testing/short-form.ts';
import { check } from './f28-planted-faults.ts';

shortForm(check);
