/** A URL with a scheme: the service sends some without (`www.example.com/in/ada`). */
export function withScheme(url: string | null): string | null {
	if (url === null || /^[a-z][a-z\d+.-]*:\/\//i.test(url)) return url;
	return `https://${url.replace(/^\/+/, '')}`;
}

/** The URL in a text, absolute or relative to a base; `undefined` for a text that is none. */
export function parsedUrl(text: string | undefined, base?: string): URL | undefined {
	if (text === undefined) return undefined;
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}

/** Any number of schemes (`https://`), and of slashes after them. */
const SCHEMES = /^(?:[a-z][a-z\d+.-]*:\/\/)*\/*/;

/**
 * The bare domain of a text that a user pastes: `https://www.Acme.com/about`, `acme.com:443` and `Acme.com`
 * all give `acme.com`. Domains compare case-insensitively (interface specification 4.5). Takes time in
 * proportion to the length of the text, whatever is in it.
 */
export function toDomain(value: string): string {
	const [authority] = value.trim().toLowerCase().replace(SCHEMES, '').split(/[/?#]/, 1);
	const [host] = authority.slice(authority.lastIndexOf('@') + 1).split(':', 1);
	return bare(host);
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
