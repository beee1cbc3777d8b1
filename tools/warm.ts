import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Runs after the installation: fills the compile cache, so that the first start is as fast as the
// following ones. See src/main.ts.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/gatehouse'))
await import('../src/start.ts')
await import('../src/cli/main.ts')
