import { shortForm } from './testing/short-form.ts';
import { check } from './f21-write-lock.ts';

shortForm(check);
