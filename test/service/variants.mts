import type { CreditKind } from './fixtures.mts';

/**
 * The shapes in which the interface exists, one switch per point on which its listings differ. The
 * first value named is the main form and the default. Sections are those of the specification.
 */
export interface Variants {
	/** 2.1 */
	accountShape: 'full' | 'credits';
	/** 2.2 */
	creditCounters: CreditKind[];

	/** 4.2; a missing index answers 404. */
	listIndex: 'available' | 'missing';
	/** 2.3, in the index of all lists: `id, name, leads` or `list_id…`. */
	listIndexShape: 'entry' | 'list';
	/** 2.3, for one list: `list_id…` or `id, name, leads`. */
	listShape: 'list' | 'entry';

	/** 4.3; the meaning of `start`. */
	leadsStart: 'id' | 'offset';
	/** 4.3 */
	leadsMaxSize: 500 | 100;
	/** 4.3; what `count_results` counts when no keyword is given, which is left open. */
	leadsCount: 'all' | 'page';
	/** 4.3; the fields that `kw` looks at. */
	leadsKeywordFields: 'wide' | 'narrow';
	/** 2.4; misspelt: `last_nd` and `compnay_founded`. */
	leadSpelling: 'plain' | 'misspelt';
	/** 2.4 and 2.11; by default as in the samples: without for people, with for companies. */
	networkUrlScheme: 'as-sampled' | 'always' | 'never';

	/** 3; earlier: `ok, nok, oka`. */
	finderVocabulary: 'current' | 'earlier';
	/** Not in the specification, but seen in services that grew over time. */
	finderLetterCase: 'lower' | 'upper' | 'capital';
	/** 2.6 and 2.7; `result`, `accuracy`, `firstName`, `lastName`, `companyName`. */
	finderExtras: boolean;
	/** 4.5; a miss is a 404, or a 200 whose address is empty, null or missing. */
	finderMiss: 'not-found' | 'empty' | 'null' | 'missing';
	/** 4.5; the other name is refused. */
	finderCompanyParameter: 'company' | 'companyName';
	/** 4.5; where the company data is, which is left open. */
	finderCompanyDataKey: 'companyData' | 'company';

	/** 4.6; the other form is refused. */
	bulkBody: 'array' | 'people';
	/** 4.6; `as-sent` echoes the type that came. */
	bulkIdType: 'as-sent' | 'number' | 'text';
	/** 4.6; the rows at once, or a job. */
	bulkAnswer: 'rows' | 'job';
	/** 4.6, left open: the job's number in the path or in the query string. */
	jobPollForm: 'path' | 'query';
	/** The answer to the other form of poll. */
	jobPollRefusal: 404 | 405;
	/** How many polls find the job still at work. */
	jobPolls: number;
	/** 4.6, left open: the rows that a job shows while it is at work: none at all, an empty list, or some. */
	jobProgress: 'hidden' | 'empty' | 'some';
	/** 4.6, left open: bare rows, or the job with its rows under this key. */
	jobResultShape: 'bare' | 'results' | 'people' | 'data' | 'rows';
	/** 2.9 and 3: values but `processing` are left open. */
	jobOutcome: 'completed' | 'failed';
	/** 2.8 */
	bulkCompanyIdSpelling: 'companyNetworkID' | 'companyNetworkid';
	/** 2.8 */
	bulkStatusMessage: boolean;

	/** 4.8 */
	verifyBulkPath: '/v3/verify_bulk' | '/api/v2/find_bulk';
	/** 4.8; the other form is refused. */
	verifyBulkQuery: 'repeat' | 'comma';
	/** 2.10; whether `enrich` adds fields. */
	verifyEnrich: boolean;
	/** 2.10; CR LF inside `message`. */
	verifyMessageLineBreaks: boolean;

	/** 4.10 */
	companySearchPath: '/company/search' | '/lwh/company/search';
	/** 2.11 */
	companyId: boolean;
	/** 2.11 */
	companySpecialtiesSpelling: 'specialties' | 'specialities';
	/** 2.11 */
	companyEmployeeCount: 'number' | 'text';
	/** 2.11 */
	companyLogos: 'both' | 'secondary';

	/** 2.11a */
	companyLeadsTotal: 'total_results' | 'total';
	/** 3 */
	companyLeadsVocabulary: 'ok-nok' | 'current';

	/** 7; out of credits, or the wording for a request that failed with valid parameters. */
	paymentWording: 'insufficient' | 'refused';
}

/** The main form of everything. */
export function mainVariants(): Variants {
	return {
		accountShape: 'full',
		creditCounters: ['email', 'verifier', 'search'],
		listIndex: 'available',
		listIndexShape: 'entry',
		listShape: 'list',
		leadsStart: 'id',
		leadsMaxSize: 500,
		leadsCount: 'all',
		leadsKeywordFields: 'wide',
		leadSpelling: 'plain',
		networkUrlScheme: 'as-sampled',
		finderVocabulary: 'current',
		finderLetterCase: 'lower',
		finderExtras: false,
		finderMiss: 'not-found',
		finderCompanyParameter: 'company',
		finderCompanyDataKey: 'companyData',
		bulkBody: 'array',
		bulkIdType: 'as-sent',
		bulkAnswer: 'rows',
		jobPollForm: 'path',
		jobPollRefusal: 404,
		jobPolls: 2,
		jobProgress: 'hidden',
		jobResultShape: 'bare',
		jobOutcome: 'completed',
		bulkCompanyIdSpelling: 'companyNetworkID',
		bulkStatusMessage: true,
		verifyBulkPath: '/v3/verify_bulk',
		verifyBulkQuery: 'repeat',
		verifyEnrich: true,
		verifyMessageLineBreaks: false,
		companySearchPath: '/company/search',
		companyId: true,
		companySpecialtiesSpelling: 'specialties',
		companyEmployeeCount: 'number',
		companyLogos: 'both',
		companyLeadsTotal: 'total_results',
		companyLeadsVocabulary: 'ok-nok',
		paymentWording: 'insufficient',
	};
}
