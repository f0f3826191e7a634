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

/**
 * The bare domain of what a user pastes: `https://www.Acme.com/about`, `acme.com:443`, `Acme.com`
 * all give `acme.com`. Domains compare case-insensitively (interface specification 4.5). Linear in
 * the length of the text, whatever stands in it.
 */
export function toDomain(value: string): string {
	const text = value.trim().toLowerCase();
	let start = afterSchemes(text);
	while (text[start] === '/') start++;
	const path = text.slice(start).search(/[/?#]/);
	const authority = path < 0 ? text.slice(start) : text.slice(start, start + path);
	const host = authority.slice(authority.lastIndexOf('@') + 1);
	const port = host.indexOf(':');
	return bare(port < 0 ? host : host.slice(0, port));
}

/** Where the text goes on after `https://`, however often it is there. */
function afterSchemes(text: string): number {
	let start = 0;
	for (;;) {
		const end = text.indexOf('://', start);
		if (end < 0 || !/^[a-z][a-z\d+.-]*$/.test(text.slice(start, end))) return start;
		start = end + 3;
	}
}

/** The host without `www.` before it, and without dots and blanks around it. */
function bare(host: string): string {
	let end = host.length;
	while (/[.\s]/.test(host.charAt(end - 1))) end--;
	const lastDot = host.lastIndexOf('.', end - 1);
	let start = 0;
	for (;;) {
		if (/\s/.test(host.charAt(start))) start++;
		else if (host.startsWith('www.', start) && lastDot > start + 4) start += 4;
		else return host.slice(start, end);
	}
}
