import { type CreditKind, kinds } from './ledger.mts';

/**
 * The shapes in which the interface exists, one switch per point on which its listings differ or say nothing. The
 * first value is the main form and the default. Sections are those of the specification.
 */
export const variantValues = {
	// Account: 2.1 and 2.2.
	/** Flat: one counter, as it is in the main form. */
	accountShape: ['full', 'credits', 'flat'],
	/** Of its counters; text has separators of thousands. */
	accountNumbers: ['number', 'text'],
	renewalUnit: ['milliseconds', 'seconds'],
	creditCounters: [kinds, ['email']] as CreditKind[][],

	// Lists: 2.3 and 4.2. A missing index answers 404; `entry` is `id, name, leads`, `list` is `list_id…`.
	listIndex: ['available', 'missing'],
	listIndexShape: ['entry', 'list'],
	listShape: ['list', 'entry'],
	/** Whether a list in the form `list` counts its leads with an email, as `count_leads_emails`. */
	listEmailCount: [false, true],

	// Leads of a list: 2.4 and 4.3.
	leadsStart: ['id', 'offset'],
	leadsMaxSize: [500, 100],
	/** What `count_results` counts when no keyword is given, which is left open. */
	leadsCount: ['all', 'page'],
	/** The fields that `kw` looks at. */
	leadsKeywordFields: ['wide', 'narrow'],
	/** Misspelt: `last_nd` and `compnay_founded`. */
	leadSpelling: ['plain', 'misspelt'],
	/** Whether the leads of a list have `title` and `company`, as exported leads do. */
	leadJob: [false, true],
	/** Also 2.11: `network_url` and `directory_url`, or under the names of the network and the directory. */
	urlNames: ['neutral', 'named'],
	/** Also 2.11; by default as in the samples: without for people, with for companies. */
	networkUrlScheme: ['as-sampled', 'always', 'never'],

	// Finder: 2.6, 2.7, 3 and 4.5.
	/** Earlier: `ok, nok, oka`. */
	finderVocabulary: ['current', 'earlier'],
	/** Not in the specification, but seen in services that grew over time. */
	finderLetterCase: ['lower', 'upper', 'capital'],
	/** `result`, `accuracy`, `firstName`, `lastName`, `companyName`. */
	finderExtras: [false, true],
	/** A miss is a 404, or a 200 whose address is empty, null or missing beside a pattern. */
	finderMiss: ['not-found', 'empty', 'null', 'missing'],
	/** The other name is refused. */
	finderCompanyParameter: ['company', 'companyName'],
	/** Where the company data is, which is left open. */
	finderCompanyDataKey: ['companyData', 'company'],

	// Bulk finder: 2.8, 2.9, 3 and 4.6, which leaves open how a job is collected.
	/** The other form is refused. */
	bulkBody: ['array', 'people'],
	/** `as-sent` echoes the type that came. */
	bulkIdType: ['as-sent', 'number', 'text'],
	bulkAnswer: ['rows', 'job'],
	bulkCompanyIdSpelling: ['companyNetworkID', 'companyNetworkid'],
	bulkStatusMessage: [true, false],
	/** The job's number in the path or in the query string. */
	jobPollForm: ['path', 'query'],
	/** The answer to the other form of poll. */
	jobPollRefusal: [404, 405],
	/** How many polls find the job still at work. */
	jobPolls: [2, 1] as number[],
	/** The rows that a job shows while it is at work: none at all, an empty list, or some. */
	jobProgress: ['hidden', 'empty', 'some'],
	/** Bare rows, or the job with its rows under this key. */
	jobResultShape: ['bare', 'results', 'people', 'data', 'rows'],
	jobOutcome: ['completed', 'failed'],

	// Verifier: 2.10 and 4.8.
	verifyBulkPath: ['/v3/verify_bulk', '/api/v2/find_bulk'],
	/** The other form is refused. */
	verifyBulkQuery: ['repeat', 'comma'],
	/** Whether `enrich` adds fields. */
	verifyEnrich: [true, false],
	/** CR LF inside `message`. */
	verifyMessageLineBreaks: [false, true],

	// Companies and their people: 2.11, 2.11a, 3 and 4.10.
	companySearchPath: ['/company/search', '/lwh/company/search'],
	companyId: [true, false],
	companySpecialtiesSpelling: ['specialties', 'specialities'],
	companyEmployeeCount: ['number', 'text'],
	companyLogos: ['both', 'secondary'],
	companyLeadsTotal: ['total_results', 'total'],
	companyLeadsVocabulary: ['ok-nok', 'current'],

	// Refusals: 7.
	/** Out of credits, or the wording for a request that failed with valid parameters. */
	paymentWording: ['insufficient', 'refused'],
} as const;

/** One of the values for each switch. */
export type Variants = {
	-readonly [Name in keyof typeof variantValues]: (typeof variantValues)[Name][number];
};

/** The main form of everything. */
export function mainVariants(): Variants {
	return formOf(0);
}

/** The first value of everything, the second one, and so on, from the first one again after the last. */
export function formOf(index: number): Variants {
	const own = Object.entries(variantValues).map(([name, values]) => [
		name,
		structuredClone(values[index % values.length]),
	]);
	return Object.fromEntries(own);
}
