import type { Bench } from './bench';
import { client } from './rows/client';
import { connections } from './rows/connections';
import { firstChunk } from './rows/firstChunk';
import { requests } from './rows/requests';
import { streamParsing } from './rows/streamParsing';

/** The rows of the table, in its order. */
export const benches: Bench[] = [requests, client, connections, firstChunk, streamParsing];
