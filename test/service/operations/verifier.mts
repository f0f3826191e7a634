import { expectedVerification } from '../addresses.mts';
import { notFound } from '../errors.mts';
import { spoilRows } from '../faults.mts';
import { flag, text, texts } from '../values.mts';
import type { Variants } from '../variants.mts';
import { charge, ok, requireCredits, type Answer, type Call, type World } from '../world.mts';
import { deliverability } from './finder.mts';

/** Verifies one address; interface specification 4.7. */
export function verify(call: Call): Answer {
	const { query, world } = call;
	const email = text(query, 'email') ?? '';
	requireCredits(call, 'verify', 1);
	charge(call, 'verify', [email]);
	return ok({
		...verificationBody(email, world.variants),
		...(flag(query, 'enrich') && world.variants.verifyEnrich ? enrichment(email, world) : {}),
	});
}

/** Verifies up to 50 addresses at the first of its two paths; interface specification 4.8. */
export function verifyBulk(call: Call): Answer {
	return verifyAll(call, '/v3/verify_bulk');
}

/** The same at the path that one listing gives. */
export function verifyBulkAtFinderPath(call: Call): Answer {
	return verifyAll(call, '/api/v2/find_bulk');
}

function verifyAll(call: Call, path: Variants['verifyBulkPath']): Answer {
	const { world, query, faults } = call;
	const { variants } = world;
	if (variants.verifyBulkPath !== path) throw notFound('The bulk verifier');
	const emails = submittedAddresses(query, variants);
	requireCredits(call, 'verifyBulk', emails.length);
	charge(call, 'verifyBulk', emails);
	const rows = emails.map((email) => verificationBody(email, variants));
	return ok(spoilRows(rows, faults, () => verificationBody('nobody@unasked.example', variants)));
}

/** The addresses of either form of query. */
export function submittedAddresses(query: unknown, { verifyBulkQuery }: Variants): string[] {
	const emails = texts(query, 'email');
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
		result: deliverability(expectedVerification(email).email_status),
		...(person && {
			firstName: person.first,
			lastName: person.last,
			companyName: person.company.name,
			title: person.title,
		}),
	};
}
