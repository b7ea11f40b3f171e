import { shortForm } from './testing/short-form.ts';
import { check } from './f01-kills.ts';

shortForm(check);
