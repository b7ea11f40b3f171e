export { changeText } from './follow.ts';
export { positionText, readPosition, refuseGone } from './position.ts';
export type { SentPosition } from './position.ts';
export { presentValues } from './present-values.ts';
