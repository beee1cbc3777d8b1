#!/usr/bin/env node
import { currentBundle } from './bundle.ts'
import { prepare } from './prepare.ts'

if (prepare()) {
  const bundle = currentBundle()
  const { run }: typeof import('./run.ts') = bundle
    ? await import(`${bundle}cli/run.js`)
    : await import('./run.ts')
  await run(process)
}
