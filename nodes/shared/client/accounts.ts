import type {
	ICredentialDataDecryptedObject,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import { CREDENTIAL, type NodeContext } from '../host/context';
import { connectionOf } from '../http/connection';
import { refusedByN8n } from '../http/errors';
import { AccountClient, type ClientSettings } from './client';
import { CircuitBreaker, SHORT_PACE } from '../pace/retry';
import { notSent } from '../failures/failure';

/** The accounts that the items of one run belong to, each with its client: nearly always one. */
export class Accounts<T extends { client: AccountClient }> {
	/** The account of all items, once the credential is known to be the same for all; rejected if it cannot be used. */
	private common: Promise<T> | undefined;

	/** By the `id` of their connections. */
	private readonly accounts = new Map<string, T>();

	private readonly settings: ClientSettings;
	private isOver = false;

	/** @param open makes what belongs to an account, with the client that sends its requests */
	constructor(
		private readonly context: NodeContext,
		settings: Pick<ClientSettings, 'mayWaitUntil' | 'pace' | 'requestOptions'>,
		private readonly open: (client: AccountClient) => T,
	) {
		const { endsAt, signal } = context;
		this.settings = { ...settings, endsAt, signal, network: new CircuitBreaker() };
		// One listener for all accounts: each further one takes longer to add.
		signal?.addEventListener('abort', this.interrupt, { once: true });
	}

	/**
	 * Gives the account of an item. n8n reads a credential from its database each time, so it is read once for
	 * all items, unless one of its fields is an expression. Throws a `Failure` if the credential cannot be used.
	 */
	async of(item: number): Promise<T> {
		if (this.common) return await this.common;
		const { credential, isForAll } = await this.context.credential(item).catch(noCredential);
		if (this.isOver) throw notSent('stopped');
		const account = this.accountOf(credential);
		if (isForAll) this.common = account;
		return await account;
	}

	private async accountOf(credential: ICredentialDataDecryptedObject): Promise<T> {
		const connection = connectionOf(credential);
		const known = this.accounts.get(connection.id);
		if (known) return known;
		const account = this.open(new AccountClient(this.context.n8n, connection, this.settings));
		this.accounts.set(connection.id, account);
		return account;
	}

	get all(): T[] {
		return [...this.accounts.values()];
	}

	/** How long the service has made the run wait, in milliseconds. */
	get paused(): number {
		return this.all.reduce((longest, { client }) => Math.max(longest, client.paused), 0);
	}

	end(): void {
		this.isOver = true;
		this.context.signal?.removeEventListener('abort', this.interrupt);
		for (const { client } of this.accounts.values()) client.end();
	}

	private readonly interrupt = () => {
		for (const { client } of this.accounts.values()) client.interrupt();
	};
}

/**
 * The client of a trigger or a dropdown, which have no items: it ends with its use, and gives up after 10 s of refusals
 * for the rate limit. Throws a `Failure`.
 */
export async function withClient<T>(
	n8n: IPollFunctions | ILoadOptionsFunctions,
	use: (client: AccountClient) => Promise<T>,
	requestOptions?: ClientSettings['requestOptions'],
): Promise<T> {
	const credential = await n8n.getCredentials(CREDENTIAL).catch(noCredential);
	const client = new AccountClient(n8n, connectionOf(credential), {
		pace: SHORT_PACE,
		requestOptions,
		endsAt: Number.POSITIVE_INFINITY,
		network: new CircuitBreaker(),
	});
	try {
		return await use(client);
	} finally {
		client.end();
	}
}

function noCredential(thrown: unknown): never {
	throw refusedByN8n(thrown);
}
