import ora from 'ora';
import type { Step } from '../hosts/open.mts';

const TICK_MS = 1_000;

/** The steps that run, each with what it says at the moment. */
const running = new Set<() => string>();

// Ora never comes back from drawing on a terminal that says it has no columns.
const spinner = ora({
	discardStdin: false,
	hideCursor: false,
	...(process.stderr.columns === 0 && { isEnabled: false }),
});

function show(): void {
	spinner.text = [...running].map((text) => text()).join(', ');
}

/** Shows a step with the seconds it takes, and how it ended; others may run beside it. */
export const step: Step = async (title, action) => {
	const started = Date.now();
	let details = '';
	const text = () => `${title}${details} (${Math.round((Date.now() - started) / 1000)} s)`;
	running.add(text);
	show();
	// Where nothing can be redrawn this writes a line.
	spinner.start(spinner.isSpinning ? undefined : title);
	const timer = setInterval(show, TICK_MS);
	let hasSucceeded = false;
	try {
		const result = await action((note) => (details = `: ${note}`));
		details = '';
		hasSucceeded = true;
		return result;
	} finally {
		clearInterval(timer);
		running.delete(text);
		spinner[hasSucceeded ? 'succeed' : 'fail'](text());
		if (running.size > 0 && process.stderr.isTTY) spinner.start();
	}
};
