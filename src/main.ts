#!/usr/bin/env node
import { prepare } from './prepare.ts'

if (prepare()) {
  const { start } = await import('./start.ts')
  await start(process.env)
}
