#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Compiled modules are kept beside the dependencies, where no other user may write: the next start
// takes half the time. A folder that cannot be written turns this off.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/gatehouse'))

const { start } = await import('./start.ts')
await start(process.env)
