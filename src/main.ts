#!/usr/bin/env node
import { currentBundle } from './cli/bundle.ts'
import { prepare } from './cli/prepare.ts'

if (prepare()) {
  const { inWorkers } = await import('./core/workers/start.ts')
  await inWorkers(process.env, async (workers) => {
    const bundle = currentBundle()
    const { start }: typeof import('./start.ts') = bundle
      ? await import(`${bundle}start.js`)
      : await import('./start.ts')
    await start(process.env, undefined, workers)
  })
}
