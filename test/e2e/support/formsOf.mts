/** Every way in which a text may be written down. */
export function formsOf(text: string): string[] {
	const bytes = Buffer.from(text);
	const inBase64 = ['', 'x', 'xx'].map((before) =>
		Buffer.from(`${before}${text}`).toString('base64').slice(4, 20),
	);
	return [
		text,
		text.replaceAll('/', '\\/'),
		encodeURIComponent(text),
		bytes.toString('hex'),
		Buffer.from(text, 'utf16le').toString('latin1'),
		...inBase64,
	];
}
