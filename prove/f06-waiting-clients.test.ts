import { shortForm } from './testing/short-form.ts';
import { check } from './f06-waiting-clients.ts';

shortForm(check);
