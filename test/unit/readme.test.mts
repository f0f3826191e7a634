import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { expect, it } from 'vitest';

import { REASONS, WITHOUT_RESULT } from '../../nodes/shared/failures/reasons.ts';
import { allFields } from '../../nodes/shared/input/declaration.ts';
import { INTERFACE_DEFAULTS } from '../../nodes/shared/http/connection.ts';
import { ACCOUNT_PATH } from '../../nodes/shared/api/account.ts';
import { FIND_BULK_PATH } from '../../nodes/shared/api/bulkFinder.ts';
import { COMPANY_LEADS_PATH } from '../../nodes/shared/api/company.ts';
import { FIND_PATH } from '../../nodes/shared/api/finder.ts';
import { LISTS_PATH, listPaths } from '../../nodes/shared/api/lists.ts';
import { VERIFY_PATH } from '../../nodes/shared/api/verifier.ts';
import { getLeads } from '../../nodes/Company/operations/getLeads.operation.ts';
import { search } from '../../nodes/Company/operations/searchCompany.operation.ts';
import { find } from '../../nodes/Finder/operations/find.operation.ts';
import { findBulk } from '../../nodes/Finder/operations/findBulk.operation.ts';
import { verify } from '../../nodes/Verifier/operations/verify.operation.ts';
import { verifyBulk } from '../../nodes/Verifier/operations/verifyBulk.operation.ts';
import { root } from '../machine/paths.mjs';

/** More would make the page slow to read. */
const MOST_BYTES = { '.png': 220_000, '.gif': 3_000_000 };

const textOf = (page: string) => readFileSync(join(root, page), 'utf8');
const readme = textOf('README.md');

/** The pictures of a page, by their path from the root. */
function imagesIn(page: string) {
	return [...textOf(page).matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, alt = '', path = '']) => ({
		alt,
		path: join(dirname(page), path),
	}));
}

const filesIn = (folder: string, extension: string) =>
	readdirSync(join(root, folder)).filter((file) => file.endsWith(extension));
const pages = ['.', 'docs', 'docs/contributing', 'examples'].flatMap((folder) =>
	filesIn(folder, '.md').map((file) => join(folder, file)),
);
const images = pages.flatMap(imagesIn);
const pictures = Object.keys(MOST_BYTES).flatMap((kind) => filesIn('docs/images', kind));

it('each picture of docs/images is shown on a page, and no other', () => {
	expect(pictures.length).toBeGreaterThan(0);
	const shown = new Set(images.map(({ path }) => path));
	expect([...shown].toSorted()).toEqual(pictures.map((file) => `docs/images/${file}`).toSorted());
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
	const headings = [...textOf(page).matchAll(/^#+ (.*)$/gm)];
	return headings.map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
			.replaceAll(' ', '-'),
	);
}

it.each(pages)('%s links only to pages and headings that there are', (page) => {
	const links = [...textOf(page).matchAll(/\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)];
	const isThere = (path: string, anchor?: string) => {
		const target = path ? join(dirname(page), path) : page;
		if (!existsSync(join(root, target))) return false;
		return anchor === undefined || anchorsOf(target).includes(anchor);
	};
	const dead = links.filter(([, path = '', anchor]) => !isThere(path, anchor));
	expect(dead.map(([link]) => link)).toEqual([]);
});

it('when-items-fail.md explains each reason once', () => {
	// No item comes out with these: the workflow has stopped, or a test event of the trigger has nothing to show.
	const isSeen = (reason: string) => !['stopped', 'no_leads'].includes(reason);
	const ofJobs = 'job_not_finished';
	const reasons = Object.keys(REASONS).filter((reason) => isSeen(reason) && reason !== ofJobs);
	const page = textOf('docs/when-items-fail.md');
	const [, part = ''] = /^## Reasons$([^]*?)^### /m.exec(page) ?? [];
	const first = [...part.matchAll(/^\|([^|]+)\|/gm)].map(([, cell = '']) => cell).join();
	const named = [...first.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
	expect(named.filter((name) => !WITHOUT_RESULT.has(name)).toSorted()).toEqual(reasons.toSorted());
	expect(page.split(`\`${ofJobs}\``)).toHaveLength(2);
});

it('options.md names each option of what may cost credits', () => {
	const operations = [find, findBulk, verify, verifyBulk, search, getLeads];
	const options = operations.flatMap(({ options = [] }) => options);
	const page = textOf('docs/options.md');
	for (const { displayName } of allFields({ options })) expect(page).toContain(`**${displayName}`);
});

it('interface.md names each path of the service', () => {
	const { bulkVerifierPath, companySearchPath } = INTERFACE_DEFAULTS;
	const page = textOf('docs/interface.md');
	const paths = [
		...[ACCOUNT_PATH, LISTS_PATH, ...Object.values(listPaths(':listId'))],
		...[FIND_PATH, FIND_BULK_PATH, VERIFY_PATH, COMPANY_LEADS_PATH],
		...[bulkVerifierPath, companySearchPath],
	];
	for (const path of paths) {
		expect(page).toMatch(new RegExp(`\`(GET|POST) ${path}\``));
	}
});

it('says what each picture shows', () => {
	expect(images.filter(({ alt }) => alt.length < 20)).toEqual([]);
});

it('shows and names every example', () => {
	const examples = filesIn('examples', '.json').map((file) => file.replace(/\.json$/, ''));
	expect(examples.length).toBeGreaterThan(0);
	const shown = imagesIn('examples/README.md').map(({ path }) => path);
	for (const example of examples) {
		expect(shown).toContain(`docs/images/example-${example}.png`);
		expect(readme).toContain(`\`${example}.json\``);
	}
});

it('has no picture that is slow to load', () => {
	const large = Object.entries(MOST_BYTES).flatMap(([kind, most]) =>
		filesIn('docs/images', kind).filter(
			(file) => statSync(join(root, 'docs', 'images', file)).size > most,
		),
	);
	expect(large).toEqual([]);
});

it('names only commands that there are', () => {
	const { scripts } = JSON.parse(textOf('package.json'));
	const texts = readme + ['CONTRIBUTING.md', 'AGENTS.md'].map(textOf).join('');
	const named = [...texts.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
	expect(named.length).toBeGreaterThan(0);
	expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
});

/** The folders that paths in these pages start from. */
const FROM: Array<[page: string, ...folders: string[]]> = [
	['AGENTS.md', ''],
	['docs/contributing/internals.md', '', 'nodes/shared'],
	['docs/contributing/pace.md', 'nodes', 'nodes/shared'],
	['docs/contributing/path-of-an-item.md', 'nodes', 'nodes/shared'],
	['docs/contributing/verification.md', ''],
];

it.each(FROM)('%s names only files that there are', (page, ...folders) => {
	const named = [...textOf(page).matchAll(/`([\w./-]+\.m?ts)`/g)].map(([, path = '']) => path);
	expect(named.length).toBeGreaterThan(0);
	const isThere = (path: string) => folders.some((folder) => existsSync(join(root, folder, path)));
	expect(named.filter((path) => path.includes('/') && !isThere(path))).toEqual([]);
});

it.each(['pace.md', 'path-of-an-item.md'])('%s names only what the code names so', (page) => {
	const files = readdirSync(join(root, 'nodes'), { recursive: true, encoding: 'utf8' });
	const code = files.filter((file) => file.endsWith('.ts')).map((file) => textOf(`nodes/${file}`));
	const words = new Set(code.join('\n').match(/\w+/g));
	const names = [...textOf(`docs/contributing/${page}`).matchAll(/`([A-Za-z]\w+(?:\.\w+)?)`/g)];
	const named = names.map(([, name = '']) => name).filter((name) => !name.endsWith('.ts'));
	expect(named.length).toBeGreaterThan(0);
	expect(named.filter((name) => name.split('.').some((word) => !words.has(word)))).toEqual([]);
});
