import { shortForm } from './testing/short-form.ts';
import { check } from './f23-secrets.ts';

shortForm(check);
