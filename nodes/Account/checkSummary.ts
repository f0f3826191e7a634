import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../shared/failures/failure';

/** What Check API says of one endpoint. */
export interface Check {
	/** Those that need the endpoint. */
	operations: string;
	works: boolean | null;
	detail: string;
	/** What to choose under Customize API Requests of the credential. */
	setting: string | null;
	endpoint: string;
	httpCode: number | null;
	/** The variant of the interface, as far as it can be seen. */
	variant: IDataObject | null;
}

/** Where an endpoint differs from one that exists and responds with a 200. */
export type Finding = Partial<Check>;

/** The error where no API is, or none that lets the key in: further requests would not find one. */
export function nothingToCheck(failure: Failure): Failure {
	// The advice to run this operation does not help here.
	const isOwnAdvice = failure.problem.description.includes('Check API');
	const description = 'Check the Base URL of the credential.';
	return isOwnAdvice ? failure.with({ description }) : failure;
}

/** The check in a sentence, and what to do. */
export function summaryOf(checks: Check[]): string {
	const broken = checks.filter(({ works, setting }) => works === false && setting === null);
	const open = checks.filter(({ works }) => works === null);
	// The service may have ended its words with a full stop.
	const reasons = [...broken, ...open].map(({ detail }) => detail.replace(/\.+$/, ''));
	if (reasons.length === checks.length) {
		const isOpen = broken.length === 0;
		const verdict = isOpen ? 'Whether this API works is unknown' : 'This API does not work';
		return `${verdict}: ${reasons[0]}.`;
	}
	const settings = checks.flatMap(({ setting }) => setting ?? []).join('; ');
	const why = [...new Set(reasons.slice(0, broken.length))].join('; ');
	const asFarAsSeen = open.length > 0 ? ', as far as a free check can tell' : '';
	const parts = [`This API works${settings && ' with other settings'}${asFarAsSeen}`];
	if (why) parts.push(`, but not ${namesOf(broken)} (${why})`);
	if (open.length > 0) {
		parts.push(`. Not certain, for the reason in its row: ${namesOf(open)}`);
		parts.push('. To be certain, look up one item with Max Credits set to 1');
	}
	// Without a full stop behind it: people copy a path.
	return settings
		? `${parts.join('')}. In the credential, turn on Customize API Requests and choose: ${settings}`
		: `${parts.join('')}.`;
}

function namesOf(checks: Check[]): string {
	return checks.map(({ operations }) => operations).join(', ');
}
