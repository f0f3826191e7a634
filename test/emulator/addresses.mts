import { hash, share } from './prng.mts';

/** Current verification vocabulary; interface specification 3. */
export type EmailStatus = 'valid' | 'catch-all' | 'invalid' | 'unknown';

/** Every person asked for at a domain with this ending has an answer without being a fixture. */
const syntheticDomainEnding = '.bulk.example';

const MAILBOX_TYPES: Partial<Record<string, string>> = {
	'throwaway.example': 'temporary',
	'ten-minutes.example': 'temporary',
	'freemail.example': 'webmail',
	'postbox.example': 'webmail',
};

const messages: Record<EmailStatus, string> = {
	valid: 'Mail to this address arrives.',
	'catch-all': 'Nothing at this domain is ever turned away.',
	invalid: 'Nobody has this address.',
	unknown: 'No word from the mail server so far.',
};

const plainLetters: Record<string, string> = { ß: 'ss', æ: 'ae', ø: 'o', ł: 'l', đ: 'd', ı: 'i' };

/**
 * One word of a name in ASCII, as the local part of an address spells it; a word that has no Latin
 * letter becomes `name` and a number of its own.
 */
export function slug(word: string): string {
	const letters = [...word.normalize('NFD').toLowerCase()];
	const ascii = letters
		.map((letter) => plainLetters[letter] ?? letter)
		.filter((letter) => /^[a-z0-9-]+$/.test(letter))
		.join('');
	return ascii === '' ? `name${hash(letters.join('')) % 1_000}` : ascii;
}

/** The address of a person at a company that forms its addresses by this pattern. */
export function addressAt(domain: string, pattern: string, first: string, last: string): string {
	const localPart = pattern
		.replace('{first}', slug(first.replace(/\s/g, '')))
		.replace('{last}', slug(last.replace(/\s/g, '')));
	return `${localPart}@${domain}`;
}

/** An address as a provider knows it: without what stands behind a plus, and at Google without dots. */
export function normalAddress(email: string): string {
	const [local, host] = email.split(/@(.*)/s);
	if (host === undefined) return email;
	const plain = local.replace(/(?<=.)\+.*/s, '');
	const isGoogle = /^(gmail|googlemail)\.com$/i.test(host);
	return isGoogle ? `${plain.replaceAll('.', '')}@gmail.com` : `${plain}@${host}`;
}

/** The verifier's answer for any address whatsoever; depends on nothing but the address. Interface specification 2.10. */
export function expectedVerification(email: string) {
	const [, host = ''] = /^[^\s@]+@([^\s@]+\.[^\s@]+)$/.exec(email) ?? [];
	const domain = host.toLowerCase();
	const isMalformed = domain === '';
	// What stands behind a plus leads to the same mailbox.
	const mailbox = normalAddress(email.toLowerCase());
	const status = isMalformed ? 'invalid' : mailboxStatus(mailbox, domain);
	return {
		email,
		domain,
		email_status: status,
		message: messages[status],
		format: isMalformed ? 'invalid' : 'valid',
		mailbox_status: status,
		mailbox_type: MAILBOX_TYPES[domain] ?? 'professional',
		mailbox_exchange: isMalformed ? '' : `mx1.${domain}`,
	};
}

function mailboxStatus(email: string, domain: string): EmailStatus {
	if (share(`catch-all ${domain}`) < 0.12) return 'catch-all';
	const place = share(`mailbox ${email}`);
	if (place < 0.08) return 'invalid';
	return place < 0.16 ? 'unknown' : 'valid';
}

/** A name or company reduced to what tells it apart: case and the amount of white space do not. */
export function comparable(name: string): string {
	return name.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/**
 * What the finder answers for a person at a synthetic domain: `first.last@domain` for about 70 % of
 * the names and null, a miss, for the rest and for every other domain.
 */
export function expectedEmail(
	first: string,
	last: string,
	domain: string,
): { email: string; status: EmailStatus } | null {
	const host = domain.toLowerCase();
	const name = comparable(`${first} ${last}`);
	if (!host.endsWith(syntheticDomainEnding) || share(`${name} @ ${host}`) >= 0.7) return null;
	const email = `${name.split(' ').map(slug).join('.')}@${host}`;
	return { email, status: expectedVerification(email).email_status };
}
