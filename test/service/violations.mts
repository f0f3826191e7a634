import type { Operation, WireRequest } from './wireLog.mts';

/** A breach of the OpenAPI document or of the active variants. */
export interface Violation {
	/** A request breached by the client, or a response breached by the emulator itself. */
	kind: 'request' | 'response';
	/** `id` of the request in the wire log. */
	requestId: number;
	operation: Operation | null;
	method: string;
	path: string;
	problems: string[];
}

export function violation(
	kind: Violation['kind'],
	{ id, operation, method, path }: WireRequest,
	problems: string[],
): Violation {
	return { kind, requestId: id, operation, method, path, problems };
}
