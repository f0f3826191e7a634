/** An address with a scheme: the service sends some without (`www.example.com/in/ada`). */
export function withScheme(url: string | null): string | null {
	if (url === null || /^[a-z][a-z\d+.-]*:\/\//i.test(url)) return url;
	return `https://${url.replace(/^\/+/, '')}`;
}

/** The URL in a text, if it is one. */
export function parsedUrl(text: string): URL | undefined {
	try {
		return new URL(text);
	} catch {
		return undefined;
	}
}
