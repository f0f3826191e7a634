import { fromModel, type Tool } from './agentWorkflow.mts';

/** Find Email as a tool whose On Error has its default. */
export function findTool(packageName: string): Tool {
	return {
		name: 'Find',
		type: `${packageName}.contactDataFinderTool`,
		parameters: { ...person, options: { maxCredits: 1 } },
	};
}

/** What the tests of the MCP server call, each bulk operation among it. */
export function mcpTools(packageName: string): Tool[] {
	const finder = `${packageName}.contactDataFinderTool`;
	const verifier = `${packageName}.contactDataVerifierTool`;
	const email = fromModel('email', 'Address to verify');
	const jobId = fromModel('job_id', 'Id of the job');
	const limit = fromModel('limit', 'How many lists', 'number');
	return [
		findTool(packageName),
		{ name: 'Find or Stop', type: finder, parameters: person, onError: 'stopWorkflow' },
		{ name: 'Find Bulk', type: finder, parameters: { operation: 'findBulk', ...person } },
		{
			name: 'Find Bulk Later',
			type: finder,
			parameters: { operation: 'findBulk', ...person, options: { jobTimeout: 0 } },
		},
		{ name: 'Get Job', type: finder, parameters: { operation: 'getBulkJob', jobId } },
		{ name: 'Verify', type: verifier, parameters: { email } },
		{ name: 'Verify Bulk', type: verifier, parameters: { operation: 'verifyBulk', email } },
		{
			name: 'Get Lists',
			type: `${packageName}.contactDataListTool`,
			parameters: { operation: 'getAll', limit },
		},
	];
}

const person = {
	fullName: fromModel('full_name', 'First and last name of the person'),
	domain: fromModel('domain', 'Web domain of the company'),
};
