/** @file What a test needs to see what is still held in memory. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How many of the objects nothing holds on to any more. */
export async function forgotten(objects: Array<WeakRef<object>>): Promise<number> {
	setFlagsFromString('--expose-gc');
	const collect: unknown = runInNewContext('gc');
	if (typeof collect !== 'function') throw new TypeError('This Node cannot be told to collect');
	// What was looked at in a turn of the event loop is held until its end.
	await new Promise((resolve) => setImmediate(resolve));
	collect();
	return objects.filter((object) => object.deref() === undefined).length;
}
