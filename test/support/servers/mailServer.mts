import { once } from 'node:events';
import { createInterface } from 'node:readline';
import tls from 'node:tls';

import type { SetUp } from '../realN8n/exampleChanges.mts';
import { selfSigned } from './selfSigned.mts';

/** A mail, as far as reports need it. */
interface Mail {
	to: string;
	subject: string;
	text: string;
}

/** A mail server over TLS (SMTP, RFC 5321) that keeps what it is given. */
export class MailServer implements AsyncDisposable {
	readonly mails: Mail[] = [];
	readonly #server = tls.createServer(selfSigned, (socket) => {
		socket.on('error', () => {});
		void this.#receive(socket);
	});

	static async open(): Promise<MailServer> {
		const server = new MailServer();
		server.#server.listen(0, '127.0.0.1');
		await once(server.#server, 'listening');
		return server;
	}

	get setUp(): SetUp {
		const address = this.#server.address();
		if (typeof address !== 'object' || address === null) throw new Error('Not listening');
		const credentialData = { host: '127.0.0.1', port: address.port, secure: true };
		return { node: 'n8n-nodes-base.emailSend', credentialType: 'smtp', credentialData };
	}

	async #receive(socket: tls.TLSSocket): Promise<void> {
		const reply = (line: string) => socket.write(`${line}\r\n`);
		reply('220 mail of tests');
		let mail: string[] | undefined;
		for await (const line of createInterface({ input: socket, crlfDelay: Infinity })) {
			if (mail && line !== '.') {
				mail.push(line.replace(/^\./, ''));
			} else if (mail) {
				this.mails.push(read(mail));
				mail = undefined;
				reply('250 OK');
			} else if (line === 'DATA') {
				mail = [];
				reply('354 Go ahead');
			} else {
				reply(line === 'QUIT' ? '221 Bye' : '250 OK');
			}
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.close();
		await once(this.#server, 'close');
	}
}

/** Reads a mail of one part, whose subject is plain ASCII. */
function read(lines: readonly string[]): Mail {
	const header = (name: string) =>
		lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
	const body = lines.slice(lines.indexOf('') + 1).join('\n');
	const isQuoted = header('Content-Transfer-Encoding') === 'quoted-printable';
	return { to: header('To'), subject: header('Subject'), text: isQuoted ? unquoted(body) : body };
}

/** Quoted-printable (RFC 2045). */
function unquoted(text: string): string {
	const bytes = text
		.replaceAll('=\n', '')
		.replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
	return Buffer.from(bytes, 'latin1').toString();
}
