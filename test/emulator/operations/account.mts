import type { CreditKind } from '../ledger.mts';
import { creditsLeft, ok, type Answer, type Call } from '../world.mts';

/** The account with its credits; interface specification 2.1, 2.2 and 4.1. */
export function getAccount({ world, account }: Call): Answer {
	const { variants, ledger, fixtures } = world;
	const countersOf = (kind: CreditKind) => {
		const used = ledger.spent(account.key, kind);
		const remaining = creditsLeft(world, account, kind);
		return { used, remaining, total: used + remaining };
	};
	const figure = (credits: number) =>
		variants.accountNumbers === 'text' ? credits.toLocaleString('en-US') : credits;
	if (variants.accountShape === 'credits') {
		// This form has one counter: that of the finder.
		const { remaining, total } = countersOf('email');
		return ok({
			email: account.email,
			plan: account.plan,
			expiry: new Date(account.renewsAt).toISOString().slice(0, 10),
			credits: { remaining: figure(remaining), total: figure(total) },
		});
	}
	const counterOf = (kind: CreditKind) => {
		const { used, total } = countersOf(kind);
		return { quota: figure(total), used: figure(used) };
	};
	const credit = variants.creditCounters.map((kind) => [kind, counterOf(kind)]);
	return ok({
		name: account.name,
		email: account.email,
		package: account.plan,
		packageRDate: account.renewsAt / (variants.renewalUnit === 'seconds' ? 1_000 : 1),
		credit: variants.accountShape === 'flat' ? counterOf('email') : Object.fromEntries(credit),
		options: { csv_import: account.paid },
		lists: fixtures.lists.map(({ id, name }) => ({ id, name, path: `/lists/${id}` })),
	});
}
