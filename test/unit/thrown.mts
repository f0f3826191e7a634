/** What a function throws; a function that throws nothing fails the test. */
export function thrownBy(call: () => unknown): unknown {
	try {
		call();
	} catch (thrown) {
		return thrown;
	}
	throw new TypeError('Nothing was thrown');
}
