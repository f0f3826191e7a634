import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'crypto';
import type { Connection } from '../http/connection';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The key for one kind of text of an account. */
function sealingKey({ apiKey, id }: Connection, what: string): Uint8Array {
	return new Uint8Array(hkdfSync('sha256', apiKey, id, what, 32));
}

/**
 * Encrypts a text with the API key, so that only its account can read it where n8n stores it.
 * @param what kind of text it is: one kind does not open as another
 */
export function seal(text: string, connection: Connection, what: string): string {
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv(CIPHER, sealingKey(connection, what), iv);
	const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
	return Buffer.concat([iv, ...encrypted, cipher.getAuthTag()]).toString('base64');
}

/** Opens a sealed text; `undefined` if it cannot be opened, e.g. after the API key was rotated. */
export function unsealed(sealed: string, connection: Connection, what: string): string | undefined {
	try {
		const bytes = Buffer.from(sealed, 'base64');
		const decipher = createDecipheriv(
			CIPHER,
			sealingKey(connection, what),
			bytes.subarray(0, IV_BYTES),
		);
		decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
		const encrypted = bytes.subarray(IV_BYTES, -TAG_BYTES);
		return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
	} catch {
		return undefined;
	}
}
