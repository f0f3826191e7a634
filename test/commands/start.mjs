import { launch } from './launch.mjs';

const HELP = `Usage: npm start -- [options]

Installs what is missing, builds the package, starts an emulator of the service and a real n8n with
the package in it, runs the example workflow and prints the leads it gives. Then the editor stays
open until Ctrl-C.

  --once      end after the run; the exit code says whether it succeeded
  --port N    the editor's port (5678; with --once any free one)
  --help      this text`;

void launch('start.mts', HELP);
