import type { BrowserContext } from 'playwright-core';
import { afterEach, beforeEach } from 'vitest';

import { openChromium } from '../components/chromium.mts';
import { openHost, type OpenHost } from '../hosts/open.mts';
import type { Credential } from '../hosts/rest.mts';
import { n8n2 } from '../hosts/versions.mts';
import type { Service } from '../emulator/service.mts';
import { useComponent } from '../support/hosts/component.mts';
import { createCredential } from '../support/hosts/host.mts';
import { Tools } from '../support/servers/tools.mts';
import { EditorPage, signIn } from './editor.mts';

/** An n8n with the credential of the service and stand-ins for tools, and a browser that is signed in there. */
interface EditorHost extends AsyncDisposable, Pick<OpenHost, 'client' | 'packageName'> {
	readonly credential: Credential;
	readonly tools: Tools;
	readonly context: BrowserContext;
	/** What the tests run against, for people. */
	readonly versions: string;
}

/** n8n's editor for the tests of a file; each test has a tab of its own. n8n trusts the certificate of tests. */
export function useEditor(service: () => Service): {
	running: () => EditorHost;
	editor: () => EditorPage;
} {
	let tools: Tools | undefined;
	const running = useComponent(async () => {
		const opened = await open(service());
		({ tools } = opened);
		return opened;
	});
	let page: EditorPage | undefined;
	beforeEach(async () => {
		page = new EditorPage(await running().context.newPage());
	});
	afterEach(async ({ task }) => {
		if (task.result?.state === 'fail') console.log(await page?.screenshotFailure(task.name));
		await page?.page.close();
		page = undefined;
		tools?.endTest();
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
	const tools = resources.use(await Tools.open());
	const { host, client, packageName } = resources.use(
		await openHost({ name: 'n8n-editor', version: n8n2, settings: tools.settings }),
	);
	const credential = await createCredential(client, service);
	const context = await signIn(browser, host);
	const opened = resources.move();
	return {
		client,
		packageName,
		credential,
		tools,
		context,
		versions: `n8n ${n8n2.version} in Chromium ${browser.version()}`,
		[Symbol.asyncDispose]: async () => await opened.disposeAsync(),
	};
}
