import { createRequire } from 'node:module';

import 'reflect-metadata';

import type * as Network from '@n8n/backend-network';
import type * as Config from '@n8n/config';
import type * as Di from '@n8n/di';

// The copies that the engine (CommonJS) has: each of these packages names sources that it lacks as
// its ES module.
const load = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
const { OutboundHttp }: typeof Network = load('@n8n/backend-network');
const { SsrfProtectionConfig }: typeof Config = load('@n8n/config');
const { Container }: typeof Di = load('@n8n/di');

/** What sends every request of a node. */
export const outboundHttp = Container.get(OutboundHttp);

/** Whether n8n refuses requests to addresses that are not public; mutable. */
export const ssrfProtection = Container.get(SsrfProtectionConfig);
