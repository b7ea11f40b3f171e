/**
 * Imports that run against the order of rooms, or close a circle of folders: file → imported file. The list only
 * becomes shorter; when it is empty, this file goes.
 */
export const knownTies: readonly string[] = [];
