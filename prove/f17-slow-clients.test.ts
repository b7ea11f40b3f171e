import { shortForm } from './testing/short-form.ts';
import { check } from './f17-slow-clients.ts';

shortForm(check);
