/** The paths of the service (interface specification 4). A credential may name others for the two of `INTERFACE_DEFAULTS`. */
export const PATHS = {
	account: '/api/v2/account',
	lists: '/api/v2/list',
	find: '/api/v2/find',
	findBulk: '/api/v2/find_bulk',
	verify: '/v3/verify',
	companyLeads: '/profile/search/email',
};
