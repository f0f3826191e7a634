/** @file What an AI agent's model is told of the results of its tools. */

/** For lookups that give an email. */
export const EMAIL_STATUSES =
	"'emailStatus' is 'valid' (it accepts mail), 'catch-all' (the domain accepts everything, so it is uncertain), 'invalid' (do not write to it) or 'unknown' (verify it again in a day).";

/** For all lookups. */
export const OTHER_STATUSES =
	"With any other status there is no result: 'message' says why and what to do.";
