import type { INodeParameters } from 'n8n-workflow';

/** n8n refuses a schedule that comes more than once a minute; it takes any number of schedules. */
export const everySecond = Array.from({ length: 60 }, (_, second) => `${second} * * * * *`);

/** When a trigger polls, as its parameter has it. */
export function pollTimes(schedules: string[]): INodeParameters {
	return { item: schedules.map((cronExpression) => ({ mode: 'custom', cronExpression })) };
}
