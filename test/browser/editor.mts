import { setTimeout as delay } from 'node:timers/promises';

import {
	selectors,
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
} from 'playwright-core';

import type { RestClient, SavedWorkflow } from '../hosts/rest.mts';
import { HANG_MS } from '../machine/hang.mts';
import { expectPicture, keep } from './pictures.mts';

/** A part of a page, in its pixels. */
type Area = Record<'x' | 'y' | 'width' | 'height', number>;

/** A note in the page, as far as its size is measured there. */
interface NoteElement {
	readonly offsetHeight: number;
	getBoundingClientRect(): { bottom: number; height: number };
	querySelectorAll(name: string): Iterable<NoteElement>;
}

/** Until what is dragged or typed into a field is part of the workflow, or of the credential. */
const TAKE_OVER_MS = 1_000;

/** A click that has sent nothing by then is lost. */
const LOST_MS = 5_000;

/** By then a workflow is saved, or was before. */
const SAVED_MS = 3_000;

const VIEWPORT = { width: 1280, height: 800 };

const NOWHERE: Area = { x: 0, y: 0, width: 0, height: 0 };

/** Around a workflow in a picture. */
const MARGIN = 24;

/** Room for a workflow in full size. */
const LARGE_VIEWPORT = { width: 2000, height: 1300 };

/**
 * Notices come and go by themselves, and the empty boxes of closed tooltips stay. The dots of the
 * canvas make pictures larger and not clearer. A dialog has round corners.
 */
const PLAIN = `
	.el-notification, [data-sonner-toaster], [class^="ͼ1"]:empty, .vue-flow__background {
		visibility: hidden !important;
	}
	.el-overlay {
		background: white !important;
	}
`;

selectors.setTestIdAttribute('data-test-id');

/** A browser in which the owner of an n8n is signed in. */
export async function signIn(
	browser: Browser,
	url: string,
	client: RestClient,
): Promise<BrowserContext> {
	const context = await browser.newContext({
		baseURL: url,
		viewport: VIEWPORT,
		colorScheme: 'light',
		deviceScaleFactor: 1.25,
		serviceWorkers: 'block',
		// n8n takes a click on Approve for a robot's if the name of the browser says that it has no window.
		userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/${browser.version()} Safari/537.36`,
	});
	context.setDefaultTimeout(HANG_MS);
	const [name = '', value = ''] = client.cookie.split(/=(.*)/s);
	await context.addCookies([{ name, value, url }]);
	return context;
}

/** n8n's editor in a tab of the browser, as its users see it. */
export class EditorPage {
	readonly page: Page;
	/** The panel with the nodes to add. */
	readonly nodePanel: Locator;
	/** The open node: its input, parameters and output. */
	readonly node: Locator;
	readonly input: Locator;
	readonly parameters: Locator;
	readonly output: Locator;
	/** The form of a credential, and the dialog around it. */
	readonly credential: Locator;
	readonly credentialDialog: Locator;
	/** The nodes on the canvas, sticky notes not included. */
	readonly canvasNodes: Locator;

	constructor(page: Page) {
		this.page = page;
		this.nodePanel = page.getByTestId('node-creator');
		this.node = page.getByTestId('ndv');
		this.input = page.getByTestId('ndv-input-panel');
		this.parameters = page.getByTestId('node-parameters');
		this.output = page.getByTestId('output-panel');
		this.credential = page.getByTestId('credential-edit-dialog');
		this.credentialDialog = page.getByTestId('editCredential-modal');
		this.canvasNodes = page.getByTestId('canvas-node');
	}

	/** @param viewport a canvas that changes its size later moves its nodes away from the pointer */
	async openWorkflow({ id }: SavedWorkflow, viewport = VIEWPORT): Promise<void> {
		await this.page.setViewportSize(viewport);
		await this.page.goto(`/workflow/${id}`);
		await this.canvasNodes.first().waitFor();
	}

	async openEmptyWorkflow(): Promise<void> {
		await this.page.goto('/workflow/new');
		await this.page.getByTestId('canvas-add-button').waitFor();
	}

	canvasNode(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	async openNode(name: string): Promise<void> {
		await this.canvasNode(name).dblclick();
		await this.parameters.waitFor();
	}

	async closeNode(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.node.waitFor({ state: 'hidden' });
	}

	/** Opens the panel with the nodes to add after a node that has none after it yet. */
	async openNodePanel(): Promise<void> {
		await this.page.getByTestId('canvas-handle-plus').first().click();
		await this.nodePanel.waitFor();
	}

	async searchNodePanel(query: string): Promise<void> {
		const search = this.page.getByTestId('node-creator-search-bar');
		// The node under the pointer would show its own buttons.
		await search.hover();
		await search.fill(query);
	}

	/** The names of the nodes, or of the actions of one, that the panel shows. */
	async foundNodes(): Promise<string[]> {
		return await this.nodePanel.getByTestId('node-creator-item-name').allInnerTexts();
	}

	/** Opens the actions of a node that the panel shows. */
	async openActions(displayName: string): Promise<void> {
		await this.nodePanel.getByText(displayName, { exact: true }).first().click();
		await this.nodePanel.getByText(/^Actions \(\d+\)$/).waitFor();
	}

	/** Adds a node by one of its actions; it opens. */
	async addNode(displayName: string, action: string): Promise<void> {
		await this.searchNodePanel(displayName);
		await this.openActions(displayName);
		await this.nodePanel.getByText(action, { exact: true }).click();
		await this.parameters.waitFor();
	}

	/** The credential that is chosen in the open node; empty for none. */
	async credentialName(): Promise<string> {
		return await this.parameters
			.getByTestId('node-credentials-select')
			.locator('input')
			.first()
			.inputValue();
	}

	/** Chooses the credential of the open node. */
	async chooseCredential(id: string): Promise<void> {
		await this.node.getByTestId('node-credentials-select').click();
		await this.page.getByTestId(`node-credentials-select-item-${id}`).click();
	}

	/** Counts the clicks on the page from now on. */
	async countClicks(): Promise<() => Promise<number>> {
		const count = "document.addEventListener('pointerdown', () => globalThis.clicks++, true)";
		await this.page.evaluate(`globalThis.clicks = 0; ${count}`);
		return async () => await this.page.evaluate<number>('globalThis.clicks');
	}

	/** The control of a parameter. */
	parameter(name: string): Locator {
		return this.node.getByTestId(`parameter-input-${name}`);
	}

	/** The expression that a parameter holds. */
	expression(name: string): Locator {
		return this.parameter(name).getByTestId('inline-expression-editor-input');
	}

	async choose(parameter: string, choice: string): Promise<void> {
		const dropdown = await this.#openDropdown(this.parameter(parameter));
		await dropdown.filter({ has: this.page.getByText(choice, { exact: true }) }).click();
	}

	/** Drags a column of the input, as the schema names it, onto a parameter. */
	async drag(column: string, parameter: string): Promise<void> {
		const { mouse } = this.page;
		await this.input.locator(`[data-name="${column}"]`).first().hover();
		await mouse.down();
		const { x, y, width, height } = (await this.parameter(parameter).boundingBox()) ?? NOWHERE;
		await mouse.move(x + width / 2, y + height / 2, { steps: 10 });
		await mouse.up();
		await this.expression(parameter).waitFor();
		// The editor takes it over a moment later.
		await delay(TAKE_OVER_MS);
	}

	/** Adds a field of a collection, of the options by default. */
	async addOption(name: string, button = 'Add option'): Promise<void> {
		const adds = this.parameters.getByTestId('collection-parameter-add').filter({ visible: true });
		const add = adds.filter({
			has: this.page.getByText(button).or(this.page.getByPlaceholder(button)),
		});
		const offered = await this.#openDropdown(add);
		await offered.filter({ has: this.page.getByText(name, { exact: true }) }).click();
	}

	async executeWorkflow(): Promise<void> {
		await this.page.getByTestId('execute-workflow-button').click();
	}

	/** Executes a workflow that starts by a form, which opens in a window of its own, and fills it from the top. */
	async executeByForm(values: readonly string[]): Promise<void> {
		const [form] = await Promise.all([this.page.waitForEvent('popup'), this.executeWorkflow()]);
		const fields = form.locator('form input.form-input');
		for (const [index, value] of values.entries()) await fields.nth(index).fill(value);
		await form.getByRole('button').click();
		await form.getByText('Your response has been recorded').waitFor();
		await form.close();
	}

	/** Says something in the chat of a workflow that starts by it, clicks these buttons when they come, and waits for the answer. */
	async chat(text: string, answer: string, clicks: readonly string[] = []): Promise<void> {
		const openOrClose = this.page.getByTestId('workflow-chat-button');
		await openOrClose.click();
		const input = this.page.getByTestId('chat-input');
		await input.fill(text);
		await this.page.keyboard.press('Enter');
		const log = this.page.getByTestId('canvas-chat');
		const open = log.locator('button.chat-button:not([class*=disabled])');
		for (const name of clicks) {
			await open.filter({ hasText: name }).click();
			await open.first().waitFor({ state: 'hidden' });
		}
		await log.getByText(answer).waitFor();
		await openOrClose.click();
		await input.waitFor({ state: 'hidden' });
	}

	/** The texts of a table in the input or the output, its head first. */
	async tableIn(panel: Locator): Promise<string[][]> {
		const rows = await panel.locator('tr').all();
		return await Promise.all(
			rows.map(async (row) => {
				const cells = await row.locator('th, td').allInnerTexts();
				return cells.map((text) => text.trim());
			}),
		);
	}

	/** Saves the workflow, if n8n has not done so by itself. */
	async save(): Promise<void> {
		const isSaved = (method: string, url: string) =>
			['PATCH', 'POST'].includes(method) && /\/rest\/workflows\//.test(url);
		const saved = this.page.waitForResponse(
			(response) => isSaved(response.request().method(), response.url()),
			{ timeout: SAVED_MS },
		);
		await this.page.keyboard.press('Control+s');
		await saved.catch(() => undefined);
	}

	/** Fills the form of the credential and saves it, upon which n8n tests it. */
	async saveCredential(fields: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(fields)) {
			await this.credential.getByTestId(`parameter-input-${name}`).locator('input').fill(value);
		}
		// A save before n8n takes over what is typed is one of the old fields.
		await delay(TAKE_OVER_MS);
		// The element around the button takes a click even when the button does not.
		const element = this.page.getByTestId('credential-save-button');
		const save = element.getByRole('button', { name: 'Save', exact: true });
		// A click is lost where n8n replaces the button at that moment.
		const sent = this.page.waitForRequest((request) => isSave(request.method(), request.url()));
		let isSent: unknown;
		while (!isSent) {
			await save.click();
			isSent = await Promise.race([sent, delay(LOST_MS, false)]);
		}
	}

	/** Opens the dropdown of a resource locator. */
	async openLocator(parameter: string): Promise<void> {
		const locator = this.node.getByTestId(`resource-locator-${parameter}`);
		await locator.getByTestId('rlc-input').click();
	}

	get locatorChoices(): Locator {
		return this.page.getByTestId('rlc-item').filter({ visible: true });
	}

	/** A picture of the page with the open node, or of a part of the page, for the README. */
	async screenshot(name: string, part?: Locator): Promise<void> {
		const take = async () => {
			const clip = (await part?.boundingBox()) ?? (await this.#wholeColumns());
			return await this.picture(clip);
		};
		// Below its expressions an open node shows values of the first item or of the one pointed at.
		await expectPicture(name, async () => await (part ?? this.output).innerText(), take);
	}

	/** How much of the open node's parameters does not fit into the page, in pixels. */
	async parametersBelowTheFold(): Promise<number> {
		const last = this.parameters.locator('.parameter-item').filter({ visible: true }).last();
		const box = await last.boundingBox();
		return (box?.y ?? 0) + (box?.height ?? 0) - (this.page.viewportSize()?.height ?? 0);
	}

	/** A picture of the workflow on the canvas in its full size, for the README. */
	async screenshotWorkflow(name: string): Promise<void> {
		await this.page.setViewportSize(LARGE_VIEWPORT);
		// No node is selected then.
		await this.page.locator('.vue-flow__pane').click({ position: { x: 8, y: 8 } });
		await this.page.getByTestId('zoom-to-fit').click();
		const take = async () => await this.picture(await workflowArea(this.page));
		await expectPicture(name, async () => await this.canvasText(), take);
	}

	/** The text on the canvas, of nodes and notes. */
	async canvasText(): Promise<string> {
		return await this.page.locator('.vue-flow').innerText();
	}

	/** How much room each note has below its text, in the canvas's own pixels: less than none if it is clipped. */
	async roomInNotes(): Promise<number[]> {
		return await this.page.locator('.n8n-sticky').evaluateAll((notes: NoteElement[]) =>
			notes.map((note) => {
				const { bottom, height } = note.getBoundingClientRect();
				const last = [...note.querySelectorAll('p')].at(-1)?.getBoundingClientRect();
				return ((bottom - (last?.bottom ?? 0)) * note.offsetHeight) / height;
			}),
		);
	}

	/** A picture of what went wrong, with n8n's notices. */
	async screenshotFailure(name: string): Promise<string> {
		return await keep(`failed-${name.replaceAll(/\W+/g, '-')}.png`, await this.page.screenshot());
	}

	/** The page up to the first column of the output that does not fit into it, if there is one. */
	async #wholeColumns(): Promise<Area | undefined> {
		const page = this.page.viewportSize();
		const node = await this.node.boundingBox();
		if (!page || !node) return undefined;
		for (const head of await this.output.locator('thead th').all()) {
			const column = await head.boundingBox();
			if (column && column.x + column.width > node.x + node.width) {
				return { x: 0, y: 0, width: column.x, height: page.height };
			}
		}
		return undefined;
	}

	/** A picture of the page, or of a part of it, as it is now. */
	async picture(clip?: Area): Promise<Buffer> {
		return await this.page.screenshot({
			animations: 'disabled',
			style: PLAIN,
			...(clip && { clip }),
		});
	}

	/** @returns the entries of the dropdown */
	async #openDropdown(select: Locator): Promise<Locator> {
		await select.click();
		const id = await select.getByRole('combobox').getAttribute('aria-controls');
		const entries = this.page.locator(`[id="${id}"] .el-select-dropdown__item`);
		await entries.first().waitFor();
		return entries;
	}
}

/** Whether a request saves a credential. */
function isSave(method: string, url: string): boolean {
	return ['POST', 'PATCH'].includes(method) && /\/rest\/credentials(?:\/[^/]+)?$/.test(url);
}

/** Where a workflow with its links and notes is on the page, with a margin. */
async function workflowArea(page: Page): Promise<Area> {
	const [nodes, others] = await Promise.all([
		areasOf(page.getByTestId('canvas-node')),
		areasOf(page.locator('.vue-flow__edge, [data-test-id="sticky"], .canvas-handle-plus svg')),
	]);
	const areas = [...nodes.map(withLabel), ...others];
	const left = Math.min(...areas.map(({ x }) => x)) - MARGIN;
	const top = Math.min(...areas.map(({ y }) => y)) - MARGIN;
	const right = Math.max(...areas.map(({ x, width }) => x + width)) + MARGIN;
	const bottom = Math.max(...areas.map(({ y, height }) => y + height)) + MARGIN;
	return { x: left, y: top, width: right - left, height: bottom - top };
}

async function areasOf(locator: Locator): Promise<Area[]> {
	const all = await locator.all();
	const areas = await Promise.all(all.map(async (one) => await one.boundingBox()));
	return areas.filter((area) => area !== null);
}

/** A node with its name, which stands below it in up to two lines and may be wider. */
function withLabel({ x, y, width, height }: Area): Area {
	return { x: x - 32, y, width: width + 64, height: height + 56 };
}
