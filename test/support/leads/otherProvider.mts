/** @file Another provider, which knows other emails than the emulated service does. */

import { slug } from '../../emulator/addresses.mts';
import { share } from '../../emulator/prng.mts';
import type { Service } from '../../emulator/service.mts';

/** The email at which it finds a person, a valid one: about every other person has one. */
export function otherEmailOf({ first, domain }: { first: string; domain: string }): string | null {
	return share(`${first} of ${domain}`) < 0.5 ? `${slug(first)}@mail.${domain}` : null;
}

/** Makes an emulated service that provider. */
export function makeOther({ fixtures }: Service): void {
	fixtures.find = ({ firstName: first = '', domain = '' }) => {
		const email = otherEmailOf({ first, domain });
		return email === null ? null : { email, status: 'valid', pattern: '{first}', person: null };
	};
}
