import { launch } from './launch.mjs';

const HELP = `Usage: npm run service -- [options]

Starts the emulator of the service alone, for an n8n of your own on this machine, prints its Base URL and
an API key, and a line for each request, until Ctrl-C.

  --port N            its port (8055)
  --latency MS        how long each request takes
  --rate N            how many requests per second it allows; it refuses the others (429)
  --credits N         how many credits of each kind the account has left
  --jobs              Find Emails in Bulk makes jobs that are ready after a few seconds
  --fail STATUS       every seventh request fails with this status, e.g. 503
  --variant NAME=VALUE  another form of the API, e.g. verifyBulkQuery=comma; may be repeated

  --help              this text`;

void launch('service.mts', HELP);
