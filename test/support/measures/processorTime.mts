/** @file How long something takes, on a machine that others use, too. */

/** Tells how much time the processor has worked for this process since, in milliseconds. */
export function processorTime(): () => number {
	const before = process.cpuUsage();
	return () => {
		const { user, system } = process.cpuUsage(before);
		return (user + system) / 1_000;
	};
}
