#!/usr/bin/env node
import { prepare } from './prepare.ts'

if (prepare()) {
  const { inWorkers } = await import('./workers/start.ts')
  await inWorkers(process.env, async (workers) => {
    const { start } = await import('./start.ts')
    await start(process.env, undefined, workers)
  })
}
