import { identityOf, requestIn, serverFor, type Exchange, type Recording } from './recording.mts';

/** Any key will do that is in no stand-in: the nodes mask the key wherever it occurs. */
export const NO_KEY = 'no-key-needed';

/**
 * Starts a service on 127.0.0.1 that gives the answers of a recording. A request that was sent several times gets its
 * answers in order, the last one again and again.
 */
export async function startPlayer(
	{ exchanges }: Recording,
	{ port = 0, tell = () => {} }: { port?: number; tell?: (line: string) => void } = {},
) {
	const waiting = Map.groupBy(exchanges, ({ request }) => identityOf(request));
	const played = new Set<string>();
	const unrecorded: string[] = [];
	const app = serverFor(async ({ method, url, body }, reply) => {
		const identity = identityOf(requestIn(method, url, body));
		const answers = waiting.get(identity) ?? [];
		const [answer] = answers.length > 1 ? answers.splice(0, 1) : answers;
		tell(`${method} ${url} ${answer?.response.status ?? 'is not in the recording'}`);
		if (answer) {
			played.add(identity);
			const { status, headers } = answer.response;
			return reply.code(status).headers(headers).send(bytesOf(answer));
		}
		const message = `${method} ${url} is not in this recording.`;
		unrecorded.push(message);
		// A status that no operation repeats, and none takes for a miss.
		return reply.code(422).send({ error: 'not_recorded', message });
	});
	return {
		baseUrl: await app.listen({ host: '127.0.0.1', port }),
		/** The requests that came and are not in the recording. */
		unrecorded,
		/** The requests of the recording that have not come. */
		unplayed: () => [...waiting.keys()].filter((identity) => !played.has(identity)),
		close: async () => await app.close(),
	};
}

/** The body as JSON, or a text as long as the one that was not written. */
function bytesOf({ response: { body, length = 0 } }: Exchange): Buffer {
	return Buffer.from(body === undefined ? 'x'.repeat(length) : JSON.stringify(body));
}
