import type {
	ICredentialDataDecryptedObject,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import { CREDENTIAL, type ItemCredential, type NodeContext } from '../host/context';
import { type Connection, connectionOf } from '../http/connection';
import { asServiceError, NotProcessed, refusedByN8n, type ServiceError } from '../http/errors';
import { Run, type RunSettings, type Silence } from './client';

/** One run of a node, by the accounts that its items belong to: nearly always one. */
export class Runs {
	private readonly runs = new Map<string, Run>();

	private readonly credentials: CredentialReader;

	private readonly settings: RunSettings;

	private readonly silence: Silence = { requests: 0 };

	private isOver = false;

	constructor(
		private readonly context: NodeContext,
		settings: Omit<RunSettings, 'signal'>,
	) {
		this.credentials = new CredentialReader(context);
		this.settings = { ...settings, signal: context.signal };
		// One listener for all: adding many to one signal takes time that grows with their number.
		context.signal?.addEventListener('abort', this.interrupt, { once: true });
	}

	/** The run for every item, once it is known that they all belong to one account. */
	get common(): Run | undefined {
		const { common } = this.credentials;
		return common && this.runs.get(common.id);
	}

	/** The run for the account of an item; throws a `ServiceError` if there is none that can be used. */
	async of(item: number): Promise<Run> {
		const connection = await this.credentials.connection(item);
		if (this.isOver) throw new NotProcessed('stopped');
		const run =
			this.runs.get(connection.id) ??
			new Run(this.context.n8n, connection, this.settings, this.silence);
		this.runs.set(connection.id, run);
		return run;
	}

	/** How long the service made the run wait, in milliseconds. */
	get paused(): number {
		let longest = 0;
		for (const { paused } of this.runs.values()) longest = Math.max(longest, paused);
		return longest;
	}

	/** The run is over, whatever ended it: nothing more is sent. */
	end(): void {
		this.isOver = true;
		this.context.signal?.removeEventListener('abort', this.interrupt);
		for (const run of this.runs.values()) run.end();
	}

	private readonly interrupt = () => {
		for (const run of this.runs.values()) run.interrupt();
	};
}

/** A run for what has no items, a trigger or a dropdown; it ends with its use. */
export async function withRun<T>(
	n8n: IPollFunctions | ILoadOptionsFunctions,
	use: (run: Run) => Promise<T>,
	settings?: RunSettings,
): Promise<T> {
	const run = new Run(n8n, await soleConnection(n8n), settings);
	try {
		return await use(run);
	} finally {
		run.end();
	}
}

/**
 * The connections of the items of a node. n8n reads a credential from its database each time, so it is
 * read once for all items, unless one of its fields is an expression: then once per item.
 */
export class CredentialReader {
	/** The connection of every item, once it is known that they share one. */
	common: Connection | undefined;

	/** Why there is no connection for any item, once that is known. */
	private refused: ServiceError | undefined;

	/** By what the credential says, so that items of one account share a connection. */
	private readonly connections = new Map<string, Connection>();

	constructor(private readonly context: Pick<NodeContext, 'credential'>) {}

	/** The connection of an item; throws a `ServiceError` if there is none that can be used. */
	async connection(item: number): Promise<Connection> {
		if (this.common) return this.common;
		if (this.refused) throw this.refused;
		const { credential, isForAll } = await this.read(item);
		const connection = this.connectionOf(credential, isForAll);
		if (isForAll) this.common = connection;
		return connection;
	}

	private connectionOf(credential: ICredentialDataDecryptedObject, isForAll: boolean): Connection {
		const said = JSON.stringify(credential);
		try {
			const connection = this.connections.get(said) ?? connectionOf(credential);
			this.connections.set(said, connection);
			return connection;
		} catch (error) {
			const refused = asServiceError(error);
			if (isForAll) this.refused = refused;
			throw refused;
		}
	}

	private async read(item: number): Promise<ItemCredential> {
		try {
			return await this.context.credential(item);
		} catch (error) {
			throw refusedByN8n(error);
		}
	}
}

/** The connection of a trigger or a dropdown, which have no items; throws a `ServiceError`. */
export async function soleConnection(
	n8n: Pick<IPollFunctions, 'getCredentials'>,
): Promise<Connection> {
	const credential = await n8n.getCredentials(CREDENTIAL).catch((thrown: unknown) => {
		throw refusedByN8n(thrown);
	});
	return connectionOf(credential);
}
