import { prepare } from '../src/prepare.ts'

// Runs after the installation: fills the compile cache, so that the first start is as fast as the
// following ones.
if (prepare()) {
  await import('../src/start.ts')
  await import('../src/cli/run.ts')
}
