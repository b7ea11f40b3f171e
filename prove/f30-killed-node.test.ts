import { shortForm } from './testing/short-form.ts';
import { check } from './f30-killed-node.ts';

shortForm(check);
