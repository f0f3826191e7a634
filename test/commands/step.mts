import ora from 'ora';
import type { Step } from '../hosts/open.mts';

const TICK_MS = 1_000;

/**
 * Shows a step with the seconds it takes, and how it ended. (Ora never comes back from drawing on a
 * terminal that says it has no columns.)
 */
export const step: Step = async (title, action) => {
	const started = Date.now();
	let details = '';
	const text = () => `${title}${details} (${Math.round((Date.now() - started) / 1000)} s)`;
	const spinner = ora({
		text: title,
		discardStdin: false,
		hideCursor: false,
		...(process.stderr.columns === 0 && { isEnabled: false }),
	}).start();
	const timer = setInterval(() => (spinner.text = text()), TICK_MS);
	try {
		const result = await action((note) => (details = `: ${note}`));
		details = '';
		spinner.succeed(text());
		return result;
	} catch (error) {
		spinner.fail(text());
		throw error;
	} finally {
		clearInterval(timer);
	}
};
