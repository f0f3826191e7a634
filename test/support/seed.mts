import fc from 'fast-check';

// Where CI is set, random tests draw the same cases each time: whether a commit passes is up to the commit.
// Everywhere else they draw new ones, and print the seed of what they find.
if (process.env.CI) fc.configureGlobal({ seed: 1 });
