/** What stands in a text where the key was. */
const COVER = '***';

/**
 * A copy of a JSON value in which the key is covered wherever it occurs, in keys of objects too;
 * the value itself when it holds no key.
 */
export function withoutKey<T>(value: T, key: string): T;
export function withoutKey(value: unknown, key: string): unknown {
	if (key === '') return value;
	if (typeof value === 'number') return String(value).includes(key) ? COVER : value;
	if (typeof value === 'string') return value.includes(key) ? value.replaceAll(key, COVER) : value;
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) {
		const items = value.map((item) => withoutKey(item, key));
		return items.every((item, index) => item === value[index]) ? value : items;
	}
	const entries = Object.entries(value);
	const clean = entries.map(([name, item]) => [withoutKey(name, key), withoutKey(item, key)]);
	const same = clean.every(([name, item], i) => name === entries[i][0] && item === entries[i][1]);
	return same ? value : Object.fromEntries(clean);
}
