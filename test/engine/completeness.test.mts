import { NodeHelpers, type INodeProperties } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { evaluated } from '../support/expression.mts';
import { ourNodes, type OurNode } from '../support/engine.mts';

/** The fields of each operation as users see them: saved workflows depend on names and defaults. */

type Fields = Record<string, unknown>;

const simple = { simple: true };
const returnAllOrLimit = { returnAll: false, limit: 50 };
const listId = { listId: { mode: 'list', value: '' } };
const person = { fullName: '', firstName: '', lastName: '', domain: '', company: '' };
const age = { 'options.checkedAt': '', 'options.maxAgeDays': 90 };
const withInput = { includeInputFields: true };
const lookupOptions = {
	'options.resultField': '',
	'options.incompleteRun': 'return',
	'options.keepCredits': 100,
	'options.manualLimit': 10,
	'options.maxConcurrency': 5,
	'options.maxCredits': 100,
	'options.maxRetries': 4,
};

const emails = {
	email: '',
	existingStatus: '',
	...age,
	'options.retryUnknownDays': 1,
	'options.skipEmpty': false,
};

const verified = { ...emails, ...withInput, ...simple, ...lookupOptions };

/** The fields of each operation, with their defaults. */
const contract: Record<OurNode, { resource: string; operations: Record<string, Fields> }> = {
	contactDataAccount: { resource: 'account', operations: { get: simple } },
	contactDataList: {
		resource: 'list',
		operations: {
			getAll: { ...returnAllOrLimit, ...simple },
			get: { ...listId, ...simple },
			getLeads: {
				...listId,
				...returnAllOrLimit,
				...simple,
				'options.email': 'all',
				'options.keyword': '',
			},
			exportLeads: { ...listId, emailOnly: false, ...simple },
		},
	},
	contactDataFinder: {
		resource: 'email',
		operations: {
			find: {
				...person,
				existingEmail: '',
				...withInput,
				...simple,
				...lookupOptions,
				...age,
				'options.country': '',
				'options.includeCompanyData': false,
			},
			findBulk: {
				...person,
				existingEmail: '',
				...withInput,
				...simple,
				...lookupOptions,
				...age,
				'options.country': '',
				'options.jobTimeout': 30,
			},
			getBulkJob: { jobId: '', jobRow: '', ...simple },
			estimate: { ...person, existingEmail: '', ...age, 'options.country': '' },
		},
	},
	contactDataVerifier: {
		resource: 'email',
		operations: {
			verify: { ...verified, 'options.enrich': false },
			verifyBulk: verified,
			estimate: emails,
		},
	},
	contactDataCompany: {
		resource: 'company',
		operations: {
			search: {
				keyword: '',
				returnAllMatches: false,
				includeInputFields: false,
				...simple,
				...lookupOptions,
			},
			getLeads: {
				companyWebsite: '',
				companyName: '',
				...returnAllOrLimit,
				includeInputFields: false,
				...simple,
				'options.title': '',
				'options.titleMatch': 'all',
				'options.location': '',
				'options.locationMatch': 'all',
			},
		},
	},
};

const labels: Record<OurNode, Record<string, string>> = {
	contactDataAccount: { get: 'Get Account' },
	contactDataList: {
		getAll: 'Get Many Lists',
		get: 'Get List',
		getLeads: 'Get List Leads',
		exportLeads: 'Export List Leads',
	},
	contactDataFinder: {
		find: 'Find Email',
		findBulk: 'Find Emails in Bulk',
		getBulkJob: 'Get Bulk Job',
		estimate: 'Estimate Cost',
	},
	contactDataVerifier: {
		verify: 'Verify Email',
		verifyBulk: 'Verify Emails in Bulk',
		estimate: 'Estimate Cost',
	},
	contactDataCompany: { search: 'Search Company', getLeads: 'Get Company Leads' },
};

const isProperty = (option: object): option is INodeProperties => 'type' in option;

/** The fields that the editor shows for an operation, with their defaults. */
function shownFields(type: OurNode, operation: string): Fields {
	const { description } = ourNodes[type];
	const values = { resource: contract[type].resource, operation, returnAll: false, jobRow: '' };
	const shown = description.properties.filter((property) =>
		NodeHelpers.displayParameter(values, property, { typeVersion: 1 }, description),
	);
	const fields: Fields = {};
	for (const { name, type: kind, default: byDefault, options = [] } of shown) {
		if (name === 'resource' || name === 'operation' || kind === 'notice') continue;
		expect(fields, `${name} is shown twice`).not.toHaveProperty([name]);
		if (name !== 'options') fields[name] = byDefault;
		for (const option of options.filter(isProperty)) {
			fields[`${name}.${option.name}`] = option.default;
		}
	}
	return fields;
}

const types = Object.keys(ourNodes).filter((type): type is OurNode => type in ourNodes);

describe.each(types)('%s', (type) => {
	const { description } = ourNodes[type];
	const operation = description.properties.find(({ name }) => name === 'operation');

	test('name, version and resource', () => {
		expect(description).toMatchObject({ name: type, version: 1, usableAsTool: true });
		expect(description.properties.find(({ name }) => name === 'resource')).toMatchObject({
			type: 'hidden',
			default: contract[type].resource,
		});
		expect(description.credentials).toEqual([{ name: 'contactDataApi', required: true }]);
		expect(description.displayName).toMatch(/^Contact Data [A-Z][a-z]+$/);
	});

	test('operations and their labels', () => {
		const shown = operation?.options?.map((option) => [
			'value' in option ? String(option.value) : '',
			option.name,
		]);
		expect(Object.fromEntries(shown ?? [])).toEqual(labels[type]);
	});

	test.each(Object.entries(labels[type]))('%s is "%s" on the canvas', (value, label) => {
		expect(evaluated(type, { operation: value }, description.subtitle ?? '')).toBe(label);
	});

	test.each(Object.entries(contract[type].operations))(
		'fields of %s and their defaults',
		(name, fields) => {
			expect(shownFields(type, name)).toEqual(fields);
		},
	);

	test('no field but those of an operation', () => {
		const ofOperations = Object.values(contract[type].operations).flatMap((fields) =>
			Object.keys(fields).map((name) => name.replace(/\..*/, '')),
		);
		const fields = description.properties.filter(({ type: kind }) => kind !== 'notice');
		const ofAll = ['resource', 'operation', 'toolDescription'];
		expect(new Set(fields.map(({ name }) => name))).toEqual(new Set([...ofAll, ...ofOperations]));
	});
});

test('Limit is hidden while Return All is on', () => {
	const { description } = ourNodes.contactDataList;
	const limits = description.properties.filter(({ name }) => name === 'limit');
	expect(limits.length).toBeGreaterThan(0);
	for (const operation of ['getAll', 'getLeads']) {
		const values = { resource: 'list', operation, returnAll: true };
		for (const limit of limits) {
			const shown = NodeHelpers.displayParameter(values, limit, { typeVersion: 1 }, description);
			expect(shown).toBe(false);
		}
	}
});
