/**
 * The bare domain of what a user pastes: `https://www.Acme.com/about`, `acme.com:443`, `Acme.com`
 * all give `acme.com`. Domains compare case-insensitively (interface specification 4.5).
 */
export function toDomain(value: string): string {
	let domain = value.trim().toLowerCase();
	for (let before = ''; before !== domain; ) {
		before = domain;
		domain = domain
			.replace(/^[a-z][a-z\d+.-]*:\/\//, '')
			.replace(/^\/+/, '')
			.replace(/[/?#].*$/s, '')
			.replace(/^.*@/, '')
			.replace(/:\d*$/, '')
			.replace(/^www\.(?=.+\.)/, '')
			.replace(/\.+$/, '')
			.trim();
	}
	return domain;
}
