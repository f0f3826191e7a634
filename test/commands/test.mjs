import { checks } from './checks.mjs';
import { launch } from './launch.mjs';

const HELP = `Usage: npm test -- [options]

Installs what is missing, then runs every check of the project, and a summary at the end.

  --only a,b  these steps only, of
              ${checks.map(({ name }) => name).join(', ')}
  --long      as deep as before a release: takes about an hour
  --help      this text`;

void launch('test.mts', HELP);
