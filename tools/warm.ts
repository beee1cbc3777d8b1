import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Runs after the install: compiles what the service loads once, so that the first start is as fast
// as every other. See src/main.ts.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/gatehouse'))
await import('../src/start.ts')
await import('../src/cli/main.ts')
