/** @file The variants of the interface that a credential sets, and their defaults. */

import { describe, expect, it } from 'vitest';

import { INTERFACE_DEFAULTS, interfaceSettings } from '../../nodes/shared/http/connection.ts';

describe('interfaceSettings', () => {
	const custom = {
		bulkFinderBody: 'people',
		bulkVerifierQuery: 'comma',
		bulkVerifierPath: '/api/v2/find_bulk',
		companySearchPath: '/lwh/company/search',
		companyNameParameter: 'companyName',
		listPageSize: 100,
	};

	const defaults = {
		bulkFinderBody: 'array',
		bulkVerifierQuery: 'repeat',
		bulkVerifierPath: '/v3/verify_bulk',
		companySearchPath: '/company/search',
		companyNameParameter: 'company',
		listPageSize: 500,
	};

	it('are those of the specification unless the credential customizes them', () => {
		expect(INTERFACE_DEFAULTS).toEqual(defaults);
		expect(interfaceSettings({})).toEqual(defaults);
		expect(interfaceSettings({ ...custom })).toEqual(defaults);
		expect(interfaceSettings({ ...custom, customizeInterface: false })).toEqual(defaults);
	});

	it('are those of a credential that customizes them', () => {
		expect(interfaceSettings({ ...custom, customizeInterface: true })).toEqual(custom);
	});

	it('fill what a credential leaves out or empty', () => {
		expect(interfaceSettings({ customizeInterface: true })).toEqual(defaults);
		const blank = { bulkFinderBody: '', bulkVerifierPath: '  ', listPageSize: null };
		expect(interfaceSettings({ ...blank, customizeInterface: true })).toEqual(defaults);
	});

	it.each([
		[100, 100],
		['100', 100],
		[1, 1],
		[-5, 1],
		[0, 500],
		['many', 500],
	])('take a page size of %j for %j', (listPageSize, size) => {
		const settings = interfaceSettings({ customizeInterface: true, listPageSize });
		expect(settings).toEqual({ ...defaults, listPageSize: size });
	});

	it('take a page size in whole leads', () => {
		const { listPageSize } = interfaceSettings({ customizeInterface: true, listPageSize: 99.5 });
		expect(Number.isInteger(listPageSize)).toBe(true);
	});
});
