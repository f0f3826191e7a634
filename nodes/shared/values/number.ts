/** A whole number, at least 0; the default for what is no number. */
export function wholeNumber(value: unknown, byDefault: number): number {
	const number = Number(value ?? byDefault);
	return Number.isFinite(number) ? Math.max(0, Math.floor(number)) : byDefault;
}
