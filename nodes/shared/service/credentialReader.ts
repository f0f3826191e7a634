import type { ICredentialDataDecryptedObject, IPollFunctions } from 'n8n-workflow';

import { CREDENTIAL, type ItemCredential } from '../n8n/credential';
import type { NodeContext } from '../n8n/nodeContext';
import { connectionOf, type Connection } from './connection';
import { refusedByN8n } from './connectionError';
import { asServiceError, type ServiceError } from './serviceError';

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
