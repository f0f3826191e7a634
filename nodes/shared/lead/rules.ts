/** Decisions in the order in which they are made, each a name and a function. */
export type Rules<Rule> = Array<[name: string, rule: Rule]>;

/**
 * Makes the list of decisions. `npm run rules` takes each one out, and says which lists of the tests are then read otherwise:
 * one that no list needs goes.
 */
export function rulesOf<Rule>(rules: Record<string, Rule>): Rules<Rule> {
	return Object.entries(rules);
}
