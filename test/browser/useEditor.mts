import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { BrowserContext } from 'playwright-core';
import { afterEach, beforeEach } from 'vitest';

import { openChromium } from '../components/chromium.mts';
import { makeFolder } from '../hosts/folder.mts';
import { openHost, type OpenHost } from '../hosts/open.mts';
import type { Credential } from '../hosts/rest.mts';
import { n8n2 } from '../hosts/versions.mts';
import type { Service } from '../service/service.mts';
import { useComponent } from '../support/component.mts';
import { createCredential } from '../support/host.mts';
import { selfSigned } from '../support/selfSigned.mts';
import { EditorPage, signIn } from './editor.mts';

/** An n8n with the credential of the service, and a browser that is signed in there. */
interface EditorHost extends AsyncDisposable, Pick<OpenHost, 'client' | 'packageName'> {
	readonly credential: Credential;
	readonly context: BrowserContext;
	/** What the tests run against, for people. */
	readonly versions: string;
}

/** n8n's editor for the tests of a file; each test has a tab of its own. n8n trusts the certificate of tests. */
export function useEditor(service: () => Service): {
	running: () => EditorHost;
	editor: () => EditorPage;
} {
	const running = useComponent(async () => await open(service()));
	let page: EditorPage | undefined;
	beforeEach(async () => {
		page = await EditorPage.open(running().context);
	});
	afterEach(async ({ task }) => {
		if (task.result?.state === 'fail') console.log(await page?.screenshotFailure(task.name));
		await page?.close();
		page = undefined;
	});
	const editor = () => {
		if (!page) throw new Error('The editor is open inside tests only');
		return page;
	};
	return { running, editor };
}

async function open(service: Service): Promise<EditorHost> {
	await using resources = new AsyncDisposableStack();
	const browser = resources.use(await openChromium());
	const folder = resources.use(await makeFolder());
	const certificate = join(folder.path, 'certificate.pem');
	await writeFile(certificate, selfSigned.cert);
	const { host, client, packageName } = resources.use(
		await openHost({
			name: 'n8n-editor',
			version: n8n2,
			settings: { NODE_EXTRA_CA_CERTS: certificate },
		}),
	);
	const credential = await createCredential(client, service);
	const context = await signIn(browser, host);
	const opened = resources.move();
	return {
		client,
		packageName,
		credential,
		context,
		versions: `n8n ${n8n2.version} in Chromium ${browser.version()}`,
		[Symbol.asyncDispose]: async () => await opened.disposeAsync(),
	};
}
