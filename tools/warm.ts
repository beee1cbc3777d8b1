import { prepare } from '../src/prepare.ts'

// Runs after the installation: fills the compile cache, so that the first start is as fast as the
// following ones.
if (prepare()) {
  await import('../src/start.ts')
  await import('../src/cli/run.ts')
  await import('../src/workers/primary.ts')
  await import('../src/workers/join.ts')
  // What a start loads by itself.
  const { rooms } = await import('../src/rooms.ts')
  const { loadParts } = await import('../src/room/serve.ts')
  await loadParts(rooms)
  await import('@fastify/ajv-compiler')
  await import('@fastify/fast-json-stringify-compiler')
}
