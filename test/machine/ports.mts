import { once } from 'node:events';
import { createServer } from 'node:net';

/** @returns distinct ports that nobody listens on */
export async function freePorts(count: number): Promise<number[]> {
	const servers = await Promise.all(Array.from({ length: count }, async () => await listen(0)));
	return await Promise.all(servers.map(async (close) => await close()));
}

/** Whether nobody on this machine listens on the port. */
export async function isFree(port: number): Promise<boolean> {
	return await listen(port).then(
		async (close) => (await close()) === port,
		() => false,
	);
}

/** @returns gives the port free again */
async function listen(port: number): Promise<() => Promise<number>> {
	const server = createServer().listen(port, '127.0.0.1');
	await once(server, 'listening');
	return async () => {
		const address = server.address();
		server.close();
		await once(server, 'close');
		if (address === null || typeof address === 'string') throw new Error('There is no port');
		return address.port;
	};
}
