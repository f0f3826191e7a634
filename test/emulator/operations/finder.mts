import { expectedVerification, type EmailStatus } from '../addresses.mts';
import { notFound } from '../errors.mts';
import type { Found, PersonQuery } from '../fixtures.mts';
import { flag, textsOf } from '../values.mts';
import type { Variants } from '../variants.mts';
import { charge, ok, requireCredits, type Answer, type Call } from '../world.mts';
import { companyBody } from './company.mts';

/** The address of one person; interface specification 4.5. Without credits even a miss is refused. */
export function find(call: Call): Answer {
	const { query, world } = call;
	const { variants } = world;
	requireCredits(call, 'find', 1);
	const texts = textsOf(query);
	const person = { ...texts, company: texts[variants.finderCompanyParameter] };
	const found = foundFor(call, person);
	if (!found) {
		if (variants.finderMiss === 'not-found') throw notFound('An address for this person');
		// Without anything it would say nothing of an address.
		const isBare = variants.finderMiss === 'missing';
		return ok({ ...(isBare && { pattern: '{first}' }), ...noAddress(variants.finderMiss) });
	}
	charge(call, 'find', [found.email]);
	return ok({
		email: found.email,
		pattern: found.pattern,
		quality: quality(found, variants, true),
		...(variants.finderExtras && extras(person, found)),
		...(flag(query, 'includeCompanyData') &&
			found.person && {
				[variants.finderCompanyDataKey]: companyBody(found.person.company, variants),
			}),
	});
}

/** What the finder knows of a person; the ledger knows from then on whose email it is. */
export function foundFor({ world }: Call, person: PersonQuery): Found | null {
	const found = world.fixtures.find(person);
	if (found) world.ledger.own(found.email, person);
	return found;
}

/** How an answer with status 200 says that there is no address. */
export function noAddress(finderMiss: Variants['finderMiss']): { email?: string | null } {
	if (finderMiss === 'missing') return {};
	return { email: finderMiss === 'null' ? null : '' };
}

/** Interface specification 2.6. */
export function quality(
	{ email, status }: Found,
	variants: Variants,
	withMessage: boolean,
): Record<string, string> {
	return {
		status: statusWord(status, variants),
		...(withMessage && { status_message: expectedVerification(email).message }),
		...(variants.finderExtras && { result: deliverability[status] }),
	};
}

/** Words for the optional `result`, of which the specification gives none. */
export const deliverability: Record<EmailStatus, string> = {
	valid: 'deliverable',
	'catch-all': 'risky',
	invalid: 'undeliverable',
	unknown: 'unknown',
};

/** The earlier vocabulary, which has no word for an unknown address; interface specification 3. */
export const earlierWords: Record<EmailStatus, string> = {
	valid: 'ok',
	'catch-all': 'oka',
	invalid: 'nok',
	unknown: 'unknown',
};

function statusWord(status: EmailStatus, { finderVocabulary, finderLetterCase }: Variants): string {
	const word = finderVocabulary === 'earlier' ? earlierWords[status] : status;
	if (finderLetterCase === 'upper') return word.toUpperCase();
	return finderLetterCase === 'capital' ? word.charAt(0).toUpperCase() + word.slice(1) : word;
}

/** Interface specification 2.7, additional fields. */
function extras(query: PersonQuery, { person, status }: Found): Record<string, unknown> {
	const words = (query.fullName ?? '').split(' ');
	return {
		accuracy: status === 'valid' ? 95 : 60,
		firstName: person?.first ?? query.firstName ?? words.slice(0, -1).join(' '),
		lastName: person?.last ?? query.lastName ?? words.slice(-1).join(' '),
		companyName: person?.company.name ?? query.company ?? '',
	};
}
