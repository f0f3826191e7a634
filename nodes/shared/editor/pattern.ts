import type { IBuilderHint } from 'n8n-workflow';

/**
 * What n8n's AI workflow builder reads with the fields of a node: how it is used, in the language in which the builder
 * writes workflows. It shows neither the hints of operations nor an output there.
 */
export function pattern(
	title: string,
	code: string,
): Required<Pick<IBuilderHint, 'extraTypeDefContent'>> {
	const content = `<patterns>\n<pattern title="${title}">\n${code}\n</pattern>\n</patterns>`;
	return { extraTypeDefContent: [{ content }] };
}
