import type { ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';
import { CREDENTIAL, type NodeContext } from '../host/context';
import { connectionOf, type Connection } from '../http/connection';
import { asServiceError, refusedByN8n, type ServiceError } from '../http/errors';
import { AccountClient, CircuitBreaker, type ClientSettings } from './client';
import { NotProcessed } from '../failures/failure';

/** What one run of a node has for each account that its items belong to: nearly always one. */
export class Accounts<T> {
	/** What belongs to the account of every item, once the credential is known to be the same for all. */
	private common: T | undefined;

	/** Why no item has an account, once the credential is known to be the same for all. */
	private refused: ServiceError | undefined;

	/** By the `id` of their connections. */
	private readonly accounts = new Map<string, { client: AccountClient; own: T }>();

	private readonly settings: ClientSettings;
	private isOver = false;

	/** @param open makes what belongs to an account, with the client that sends its requests */
	constructor(
		private readonly context: NodeContext,
		settings: Pick<ClientSettings, 'pace' | 'requestOptions'>,
		private readonly open: (client: AccountClient) => T,
	) {
		const { signal } = context;
		this.settings = { ...settings, signal, silence: new CircuitBreaker('service_down') };
		// One listener for all accounts: each further one takes longer to add.
		signal?.addEventListener('abort', this.interrupt, { once: true });
	}

	/**
	 * What belongs to the account of an item. n8n reads a credential from its database each time, so it is read once for
	 * all items, unless one of its fields is an expression. Throws a `ServiceError` if the credential cannot be used.
	 */
	async of(item: number): Promise<T> {
		if (this.common) return this.common;
		if (this.refused) throw this.refused;
		const { credential, isForAll } = await this.context.credential(item).catch(refuse);
		if (this.isOver) throw new NotProcessed('stopped');
		try {
			const connection = connectionOf(credential);
			const own = this.accounts.get(connection.id)?.own ?? this.openAt(connection);
			if (isForAll) this.common = own;
			return own;
		} catch (error) {
			const refused = asServiceError(error);
			if (isForAll) this.refused = refused;
			throw refused;
		}
	}

	get all(): T[] {
		return [...this.accounts.values()].map(({ own }) => own);
	}

	/** How long the service has made the run wait, in milliseconds. */
	get paused(): number {
		const all = [...this.accounts.values()];
		return all.reduce((longest, { client }) => Math.max(longest, client.paused), 0);
	}

	end(): void {
		this.isOver = true;
		this.context.signal?.removeEventListener('abort', this.interrupt);
		for (const { client } of this.accounts.values()) client.end();
	}

	private openAt(connection: Connection): T {
		const client = new AccountClient(this.context.n8n, connection, this.settings);
		const own = this.open(client);
		this.accounts.set(connection.id, { client, own });
		return own;
	}

	private readonly interrupt = () => {
		for (const { client } of this.accounts.values()) client.interrupt();
	};
}

/** The client of a trigger or a dropdown, which have no items; it ends with its use. Throws a `ServiceError`. */
export async function withClient<T>(
	n8n: IPollFunctions | ILoadOptionsFunctions,
	use: (client: AccountClient) => Promise<T>,
	settings?: ClientSettings,
): Promise<T> {
	const credential = await n8n.getCredentials(CREDENTIAL).catch(refuse);
	const client = new AccountClient(n8n, connectionOf(credential), settings);
	try {
		return await use(client);
	} finally {
		client.end();
	}
}

function refuse(thrown: unknown): never {
	throw refusedByN8n(thrown);
}
