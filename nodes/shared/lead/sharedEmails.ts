import { comparableEmail, emailsIn } from '../values/email';
import { wordsOf } from '../values/text';

/** So many different names under one email are too many for one person. */
const TOO_MANY = 3;

/** Emails that stand beside the names of several people of a run, as that of whoever has sent a list or a form. */
export class SharedEmails {
	private readonly namesOf = new Map<string, Set<string>>();

	/** Notes the name of an item, and the email that it has. */
	note(name: string, text: string): void {
		const [email] = emailsIn(text);
		if (name === '' || email === undefined) return;
		const key = comparableEmail(email);
		const names = this.namesOf.get(key) ?? new Set();
		if (names.size < TOO_MANY) names.add(wordsOf(name).toSorted().join());
		this.namesOf.set(key, names);
	}

	/** What the summary says of it, as a warning. */
	get said(): string[] {
		const emails = [...this.namesOf].filter(([, names]) => names.size >= TOO_MANY);
		if (emails.length === 0) return [];
		const [[email]] = emails;
		const more = emails.length - 1;
		const stand = more > 0 ? ` and ${more} more stand` : ' stands';
		const whose = more > 0 ? "they may be the senders'" : "it may be the sender's";
		return [`${email}${stand} beside ${TOO_MANY} or more different names: ${whose}`];
	}
}
