import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../src/core/database/connect.ts'
import { soleProcess } from '../src/core/workers/workers.ts'
import { createTracing } from '../src/extras/tracing/start.ts'
import { type TestApp, type TestOptions, testApp } from './app.ts'
import { fixedClock } from './clock.ts'
import { type CollectedSpan, type Collector, startCollector } from './collector.ts'
import { loadConfig } from './config.ts'
import { databaseSettings, nodes, placeSqliteFile } from './database.ts'
import { seededRandom } from './random.ts'

export interface TracedApp extends TestApp {
  readonly collector: Collector
  /** Closes the service, which exports what it has, and answers the spans of a trace. */
  exported(): Promise<readonly CollectedSpan[]>
}

/** Starts the service with an export of its traces to a collector of its own. */
export async function tracedApp(
  env: Record<string, string> = {},
  { deps, clock = fixedClock(), ...options }: TestOptions = {},
): Promise<TracedApp> {
  const collector = await startCollector()
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  await placeSqliteFile(directory)
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    TRACES_PER_SECOND: '0', // the clock stands still
    ...env,
  }
  const all = { NODE_ENV: 'test', ...(await databaseSettings(directory)), ...settings }
  const config = loadConfig(all)
  const log = { warn: () => {}, info: () => {} }
  const random = seededRandom(2)
  const tracing = createTracing(config, { clock, random, log, workers: soleProcess })
  const { traces, observe } = tracing
  const connected = connect({ ...config.database, synchronous: 'off', observe, nodes })
  const app = await testApp(settings, {
    ...options,
    ...{ directory, clock },
    deps: { ...connected, traces, ...deps },
  })
  return {
    ...app,
    collector,
    async exported() {
      await app.close()
      return collector.spans
    },
  }
}
