import { creditsLeft, ok, type Answer, type Call } from '../world.mts';

/** The account with its credits; interface specification 2.1, 2.2 and 4.1. */
export function getAccount(call: Call): Answer {
	return ok(call.world.variants.accountShape === 'full' ? full(call) : creditsOnly(call));
}

function full({ world, account }: Call): unknown {
	return {
		name: account.name,
		email: account.email,
		package: account.plan,
		packageRDate: account.renewsAt,
		credit: Object.fromEntries(
			world.variants.creditCounters.map((kind) => {
				const used = world.ledger.spent(account.key, kind);
				return [kind, { quota: used + creditsLeft(world, account, kind), used }];
			}),
		),
		options: { csv_import: account.paid },
		lists: world.fixtures.lists.map(({ id, name }) => ({ id, name, path: `/lists/${id}` })),
	};
}

/** The variant has one counter: that of the finder. */
function creditsOnly({ world, account }: Call): unknown {
	const remaining = creditsLeft(world, account, 'email');
	return {
		email: account.email,
		plan: account.plan,
		expiry: new Date(account.renewsAt).toISOString().slice(0, 10),
		credits: { remaining, total: remaining + world.ledger.spent(account.key, 'email') },
	};
}
