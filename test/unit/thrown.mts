import { Failure } from '../../nodes/shared/failures/failure.ts';

/** What a function throws; a function that throws nothing fails the test. */
export function thrownBy(call: () => unknown): unknown {
	try {
		call();
	} catch (thrown) {
		return thrown;
	}
	throw new TypeError('Nothing was thrown');
}

/** How an item without a name is refused. */
export const noName = new Failure('missing_name', {
	message: 'Not sent: no name',
	description: 'Fill in Full Name.',
});
