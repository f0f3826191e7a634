import type { AccountClient } from './client';

/** Work that is done once for all items of one account in one run. */
export class RunCache<T> {
	private readonly done = new WeakMap<AccountClient, Map<string, Promise<T>>>();

	/** The result of the work under a key, of its first call. */
	async of(client: AccountClient, key: string, work: () => Promise<T>): Promise<T> {
		const own = this.done.get(client) ?? new Map<string, Promise<T>>();
		this.done.set(client, own);
		const result = own.get(key) ?? work();
		own.set(key, result);
		return await result;
	}
}
