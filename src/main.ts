#!/usr/bin/env node
import { currentBundle } from './bundle.ts'
import { prepare } from './prepare.ts'

if (prepare()) {
  const bundle = currentBundle()
  const { start }: typeof import('./start.ts') = bundle
    ? await import(`${bundle}start.js`)
    : await import('./start.ts')
  await start(process.env)
}
