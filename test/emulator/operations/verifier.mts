import { expectedVerification } from '../addresses.mts';
import { flag, isRecord, textsOf } from '../values.mts';
import type { Variants } from '../variants.mts';
import { charge, ok, requireCredits, type Answer, type Call, type World } from '../world.mts';
import { deliverability } from './finder.mts';

/** Verifies one address; interface specification 4.7. */
export function verify(call: Call): Answer {
	const { query, world } = call;
	const { email = '' } = textsOf(query);
	requireCredits(call, 'verify', 1);
	charge(call, 'verify', [email]);
	const isEnriched = flag(query, 'enrich') && world.variants.verifyEnrich;
	return ok({
		...verificationBody(email, world.variants),
		...(isEnriched && enrichment(email, world)),
	});
}

/** Verifies up to 50 addresses; interface specification 4.8. */
export function verifyBulk(call: Call): Answer {
	const { variants } = call.world;
	const emails = submittedAddresses(call.query, variants);
	requireCredits(call, 'verifyBulk', emails.length);
	charge(call, 'verifyBulk', emails);
	return ok(emails.map((email) => verificationBody(email, variants)));
}

/** The addresses of either form of query. */
export function submittedAddresses(
	query: unknown,
	{ verifyBulkQuery }: Pick<Variants, 'verifyBulkQuery'>,
): string[] {
	const emails = isRecord(query) && Array.isArray(query.email) ? query.email.map(String) : [];
	return verifyBulkQuery === 'comma' ? emails.flatMap((email) => email.split(',')) : emails;
}

function verificationBody(email: string, variants: Variants): Record<string, unknown> {
	const verification = expectedVerification(email);
	const { message } = verification;
	return {
		...verification,
		message: variants.verifyMessageLineBreaks ? `${message}\r\nChecked just now.` : message,
	};
}

/** Interface specification 2.10, fields that `enrich` adds. */
function enrichment(email: string, { fixtures }: World): Record<string, unknown> {
	const person = fixtures.people.find((candidate) => candidate.email === email.toLowerCase());
	return {
		result: deliverability[expectedVerification(email).email_status],
		...(person && {
			firstName: person.first,
			lastName: person.last,
			companyName: person.company.name,
			title: person.title,
		}),
	};
}
