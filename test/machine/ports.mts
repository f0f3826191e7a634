import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const LOOPBACK = '127.0.0.1';

/** @returns distinct ports that nobody listens on */
export async function freePorts(count: number): Promise<number[]> {
	const servers = await Promise.all(Array.from({ length: count }, async () => await listen(0)));
	const ports = servers.map(portOf);
	await Promise.all(servers.map(close));
	return ports;
}

/** Whether nobody on this machine listens on the port. */
export async function isFree(port: number): Promise<boolean> {
	try {
		await close(await listen(port));
		return true;
	} catch {
		return false;
	}
}

async function listen(port: number): Promise<Server> {
	const server = createServer().listen(port, LOOPBACK);
	await once(server, 'listening');
	return server;
}

async function close(server: Server): Promise<void> {
	server.close();
	await once(server, 'close');
}

function portOf(server: Server): number {
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The server has no port');
	return address.port;
}
