import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'crypto';
import type { Connection } from '../http/connection';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

function sealingKey({ apiKey, id }: Connection): Uint8Array {
	return new Uint8Array(hkdfSync('sha256', apiKey, id, 'contactDataAnswers', 32));
}

/** Encrypts a text with the API key, so that only its account can read it where n8n stores it. */
export function seal(text: string, connection: Connection): string {
	const iv = randomBytes(IV_BYTES);
	const cipher = createCipheriv(CIPHER, sealingKey(connection), iv);
	const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
	return Buffer.concat([iv, ...encrypted, cipher.getAuthTag()]).toString('base64');
}

/** Opens a sealed text; `undefined` if it cannot be opened, e.g. after the API key was rotated. */
export function unsealed(sealed: string, connection: Connection): string | undefined {
	try {
		const bytes = Buffer.from(sealed, 'base64');
		const iv = bytes.subarray(0, IV_BYTES);
		const decipher = createDecipheriv(CIPHER, sealingKey(connection), iv);
		decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
		const encrypted = bytes.subarray(IV_BYTES, -TAG_BYTES);
		return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
	} catch {
		return undefined;
	}
}
