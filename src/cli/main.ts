#!/usr/bin/env node
import { prepare } from '../prepare.ts'

if (prepare()) {
  const { run } = await import('./run.ts')
  await run(process)
}
