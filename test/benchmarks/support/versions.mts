import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import manifest from '../../../package.json' with { type: 'json' };
import { programs } from '../../machine/paths.mjs';

/** What figures belong to: the package, the Node.js that n8n runs on, and what else was measured. */
export async function versions(...others: string[]): Promise<string> {
	const { stdout } = await promisify(execFile)(join(programs, 'node'), ['--version']);
	const own = `${manifest.name} ${manifest.version}`;
	return [...others, `Node.js ${stdout.trim().slice(1)}`, own].join(', ');
}
