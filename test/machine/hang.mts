/**
 * How long tests and commands wait for a state, in milliseconds. Nothing takes so long, on a slow and busy machine
 * either: only a hang meets it.
 */
export const HANG_MS = 5 * 60_000;
