/** @file The rooms of the code, and which one a file is in. */

/**
 * The rooms in `nodes/shared`, from the ground up: each may use those below it. Rooms on one floor do
 * not know of each other.
 */
export const FLOORS = [
	['values'],
	['failures'],
	['host'],
	['http'],
	['api', 'lead'],
	['pace', 'credits'],
	['client', 'execution'],
	['input', 'output'],
	['run'],
	['reads', 'lookups'],
	['operation.ts'],
	['editor'],
];

/** Where a file is: a room of `shared`, or the folder of its node (`Finder`), or `credentials`. */
export function placeOf(file: string): string {
	const [top, folder, room] = file.split('/');
	if (top === 'credentials') return top;
	return folder === 'shared' ? room : folder;
}

/** The number of its floor; -1 if it is in no room. */
export const floorOf = (file: string) => FLOORS.findIndex((rooms) => rooms.includes(placeOf(file)));
