import { setTimeout as delay } from 'node:timers/promises';

import {
	selectors,
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
} from 'playwright-core';
import { z } from 'zod';

import type { Host } from '../hosts/host.mts';
import { owner, type Credential, type SavedWorkflow } from '../hosts/rest.mts';
import { keep, keepForReadme } from './pictures.mts';
import { workflowArea, type Area } from './workflowArea.mts';

type Theme = 'light' | 'dark';

/** A note in the page, as far as its size is measured there. */
interface NoteElement {
	readonly offsetHeight: number;
	getBoundingClientRect(): { bottom: number; height: number };
	querySelectorAll(name: string): Iterable<NoteElement>;
}

/** Of a loaded machine. */
const TIMEOUT_MS = 60_000;

/** Buttons and connections on the canvas change gradually after a run. */
const SETTLE_MS = 2_000;

/** Until what is typed into an expression is part of the workflow. */
const TAKE_OVER_MS = 1_000;

const VIEWPORT = { width: 1280, height: 800 };

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

/** Counts what a person does with the mouse. */
const COUNT_CLICKS = `
	window.counted = { clicks: 0, drags: 0 };
	addEventListener('pointerdown', () => window.counted.clicks++, true);
	addEventListener('dragstart', () => window.counted.drags++, true);
`;

const countedSchema = z.object({ clicks: z.number(), drags: z.number() });

selectors.setTestIdAttribute('data-test-id');

/** A browser in which the owner of an n8n is signed in. */
export async function signIn(browser: Browser, { url }: Host): Promise<BrowserContext> {
	const context = await browser.newContext({
		baseURL: url,
		viewport: VIEWPORT,
		colorScheme: 'light',
		deviceScaleFactor: 1.25,
		serviceWorkers: 'block',
	});
	context.setDefaultTimeout(TIMEOUT_MS);
	await context.addInitScript({ content: COUNT_CLICKS });
	const { email, password } = owner;
	const login = await context.request.post('/rest/login', {
		data: { emailOrLdapLoginId: email, password },
	});
	if (!login.ok()) throw new Error(`n8n answered ${login.status()} to the login`);
	return context;
}

/** n8n's editor in a tab of the browser, as its users see it. */
export class EditorPage {
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

	private readonly page: Page;

	private constructor(page: Page) {
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

	static async open(context: BrowserContext): Promise<EditorPage> {
		return new EditorPage(await context.newPage());
	}

	async close(): Promise<void> {
		await this.page.close();
	}

	async openWorkflow({ id }: SavedWorkflow): Promise<void> {
		await this.page.goto(`/workflow/${id}`);
		await this.canvasNodes.first().waitFor();
	}

	async openEmptyWorkflow(): Promise<void> {
		await this.page.goto('/workflow/new');
		await this.page.getByTestId('canvas-add-button').waitFor();
	}

	/** How often the mouse was pressed, and how often something was dragged, since the page was loaded. */
	async clicks(): Promise<z.infer<typeof countedSchema>> {
		return countedSchema.parse(await this.page.evaluate('window.counted'));
	}

	/** Opens a new workflow with what a file holds, as the menu's Import from File does. */
	async importWorkflow(file: string): Promise<void> {
		await this.openEmptyWorkflow();
		await this.page.getByTestId('workflow-import-input').setInputFiles(file);
		await this.canvasNodes.first().waitFor();
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

	/** Opens the panel with the nodes to add in a workflow that has none yet. */
	async addFirstStep(): Promise<void> {
		await this.page.getByTestId('canvas-add-button').click();
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

	/** The icon of one of {@link foundNodes}, by its place there. */
	foundIcon(index: number): Locator {
		const name = this.nodePanel.getByTestId('node-creator-item-name').nth(index);
		return name.locator('xpath=ancestor::*[.//img][1]').locator('img').first();
	}

	/** Opens the actions of a node that the panel shows. */
	async openActions(displayName: string): Promise<void> {
		await this.nodePanel.getByText(displayName, { exact: true }).first().click();
		await this.nodePanel.getByText(/^Actions \(\d+\)$/).waitFor();
	}

	/** Adds a node by one of the actions that the panel shows; it opens. */
	async addAction(action: string): Promise<void> {
		await this.nodePanel.getByText(action, { exact: true }).click();
		await this.parameters.waitFor();
	}

	/** The control of a parameter. */
	parameter(name: string): Locator {
		return this.node.getByTestId(`parameter-input-${name}`);
	}

	/** The expression that a parameter holds. */
	expression(name: string): Locator {
		return this.parameter(name).getByTestId('inline-expression-editor-input');
	}

	/** What the control of a parameter holds, if the open node shows it. */
	async valueOf(parameter: string): Promise<string | undefined> {
		const [control] = await this.parameter(parameter).locator('input').all();
		return await control?.inputValue();
	}

	async choose(parameter: string, choice: string): Promise<void> {
		const dropdown = await this.#openDropdown(this.parameter(parameter));
		await dropdown.filter({ has: this.page.getByText(choice, { exact: true }) }).click();
	}

	/** Fills the input of a parameter. */
	async fill(parameter: string, value: string): Promise<void> {
		await this.parameter(parameter).locator('input').fill(value);
		await this.page.keyboard.press('Tab');
	}

	/** Replaces the expression that a parameter holds, as by pasting. */
	async fillExpression(parameter: string, expression: string): Promise<void> {
		await this.expression(parameter).click();
		await this.page.keyboard.press('Control+a');
		await this.page.keyboard.insertText(expression);
		// The editor takes over what is typed a moment later.
		await delay(TAKE_OVER_MS);
	}

	async addOption(name: string): Promise<void> {
		const add = this.parameters.getByTestId('collection-parameter-add').filter({ visible: true });
		const offered = await this.#openDropdown(add);
		await offered.filter({ has: this.page.getByText(name, { exact: true }) }).click();
	}

	async executeStep(): Promise<void> {
		await this.node.getByTestId('node-execute-button').click();
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

	/** Says something in the chat of a workflow that starts by it, and waits for the answer. */
	async chat(text: string, answer: string): Promise<void> {
		const openOrClose = this.page.getByTestId('workflow-chat-button');
		await openOrClose.click();
		const input = this.page.getByTestId('chat-input');
		await input.fill(text);
		await this.page.keyboard.press('Enter');
		await this.page.getByTestId('canvas-chat').getByText(answer).waitFor();
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

	async showAs(panel: Locator, view: 'schema' | 'table' | 'json'): Promise<void> {
		await panel.getByTestId(`radio-button-${view}`).click();
	}

	/** Puts the pointer on a row of a table, from 0, its head not counted. */
	async pointAt(panel: Locator, row: number): Promise<void> {
		// A table that is wider than its panel would be scrolled to the middle of the row.
		await panel.locator('tbody tr').nth(row).locator('td').first().hover();
	}

	/** The fields that a panel shows as a schema. */
	async fieldsIn(panel: Locator): Promise<string[]> {
		const names = await panel.locator('[data-name]').all();
		return await Promise.all(names.map(async (name) => (await name.innerText()).trim()));
	}

	/** The rows that the pointer's position marks as belonging together. */
	marked(panel: Locator): Locator {
		return panel.getByTestId('hovering-item');
	}

	async pickCredential({ id }: Credential): Promise<void> {
		await this.node.getByTestId('node-credentials-select').click();
		await this.page.getByTestId(`node-credentials-select-item-${id}`).click();
	}

	async createCredential(): Promise<void> {
		await this.node.getByTestId('node-credentials-select').click();
		await this.page.getByTestId('node-credentials-select-item-new').click();
		await this.#formOfCredential();
	}

	/** Fills the form of the credential and saves it, upon which n8n tests it. */
	async saveCredential(fields: Record<string, string>): Promise<void> {
		for (const [name, value] of Object.entries(fields)) {
			await this.credential.getByTestId(`parameter-input-${name}`).locator('input').fill(value);
		}
		// The element around the button takes a click even when the button does not.
		const save = this.page.getByTestId('credential-save-button');
		await save.getByRole('button', { name: 'Save', exact: true }).click();
	}

	/** The form of the open node's credential, which n8n closed, and tests again when it opens. */
	async reopenCredential(): Promise<void> {
		await this.credentialDialog.waitFor({ state: 'hidden' });
		await this.node.getByTestId('credential-edit-button').click();
		await this.#formOfCredential();
	}

	/** n8n asks the server for the name last, and saves no credential without one. */
	async #formOfCredential(): Promise<void> {
		await this.credentialDialog.getByTestId('credential-name').waitFor();
	}

	/** Waits until the form says why a test failed, which it goes on showing after the next test. */
	async showCredentialDetails(): Promise<void> {
		await this.credential.getByText('More details').click();
	}

	get credentialPassed(): Locator {
		return this.credential.getByTestId('credentials-config-container-test-success');
	}

	/** Opens the dropdown of a resource locator. */
	async openLocator(parameter: string): Promise<void> {
		const locator = this.node.getByTestId(`resource-locator-${parameter}`);
		await locator.getByTestId('rlc-input').click();
	}

	/** Types into the search box of the open dropdown. */
	async searchLocator(text: string): Promise<void> {
		await this.page.getByTestId('rlc-search').filter({ visible: true }).fill(text);
	}

	get locatorChoices(): Locator {
		return this.page.getByTestId('rlc-item').filter({ visible: true });
	}

	/** The marks of the nodes on the canvas that ran without an error. */
	get succeeded(): Locator {
		return this.page.getByTestId('canvas-node-status-success');
	}

	notice(text: string): Locator {
		return this.page.getByText(text, { exact: true });
	}

	/** Of the whole page. */
	async setSize(width: number, height: number): Promise<void> {
		await this.page.setViewportSize({ width, height });
	}

	/** As a system that is set to this theme. */
	async setTheme(theme: Theme): Promise<void> {
		await this.page.emulateMedia({ colorScheme: theme });
	}

	/** A picture of the page with the open node, or of a part of the page, for the README. */
	async screenshot(name: string, part?: Locator): Promise<void> {
		await delay(SETTLE_MS);
		const clip = (await part?.boundingBox()) ?? (await this.#wholeColumns());
		// Below its expressions an open node shows values of the first item or of the one pointed at.
		const text = await (part ?? this.output).innerText();
		await keepForReadme(name, await this.#picture(clip), text);
	}

	/** A picture of the workflow on the canvas in its full size, for the README. */
	async screenshotWorkflow(name: string): Promise<void> {
		await this.page.setViewportSize(LARGE_VIEWPORT);
		// No node is selected then.
		await this.page.locator('.vue-flow__pane').click({ position: { x: 8, y: 8 } });
		await this.page.getByTestId('zoom-to-fit').click();
		await delay(SETTLE_MS);
		const picture = await this.#picture(await workflowArea(this.page));
		await keepForReadme(name, picture, await this.canvasText());
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

	/** A picture of what went wrong. */
	async screenshotFailure(name: string): Promise<string> {
		return await keep(`failed-${name.replaceAll(/\W+/g, '-')}`, await this.#picture());
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

	async #picture(clip?: Area): Promise<Buffer> {
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

/** How wide a picture is in itself: 0 unless it is loaded. */
export async function naturalWidth(image: Locator): Promise<number> {
	return await image.evaluate(({ naturalWidth: width }: { naturalWidth: number }) => width);
}
