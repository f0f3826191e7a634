import { afterEach, beforeEach } from 'vitest';

import { openChromium } from '../components/chromium.mts';
import { openHost } from '../hosts/open.mts';
import { n8n2 } from '../hosts/versions.mts';
import type { Service } from '../emulator/service.mts';
import { useComponent } from '../support/realN8n/component.mts';
import { createCredential } from '../support/realN8n/host.mts';
import { Tools } from '../support/servers/tools.mts';
import { EditorPage, signIn } from './editor.mts';

/** n8n's editor for the tests of a file; each test has a tab of its own. n8n trusts the certificate of tests. */
export function useEditor(service: () => Service) {
	const running = useComponent(async () => await open(service()));
	let page: EditorPage | undefined;
	beforeEach(async () => {
		page = new EditorPage(await running().context.newPage());
	});
	afterEach(async ({ task }) => {
		if (!page) return;
		if (task.result?.state === 'fail') console.log(await page.screenshotFailure(task.name));
		await page.page.close();
		page = undefined;
		running().tools.endTest();
	});
	const editor = () => {
		if (!page) throw new Error('The editor is open inside tests only');
		return page;
	};
	return { running, editor };
}

/** An n8n with the credential of the service and stand-ins for tools, and a browser that is signed in there. */
async function open(service: Service) {
	await using resources = new AsyncDisposableStack();
	const browser = resources.use(await openChromium());
	const tools = resources.use(await Tools.open());
	const { host, client, packageName } = resources.use(
		await openHost({ name: 'n8n-editor', version: n8n2, settings: tools.settings }),
	);
	const credential = await createCredential(client, service);
	const context = await signIn(browser, host.url, client);
	const opened = resources.move();
	return {
		client,
		packageName,
		credential,
		tools,
		context,
		/** What the tests run against, for people. */
		versions: `n8n ${n8n2.version} in Chromium ${browser.version()}`,
		[Symbol.asyncDispose]: async () => await opened.disposeAsync(),
	};
}
