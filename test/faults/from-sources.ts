// The service, or with words the command line, without the bundle: that has a copy of pg of its own,
// which no file that is loaded before could count.
if (process.argv.length > 2) {
  const { run } = await import('../../src/cli/run.ts')
  await run(process)
} else {
  const { start } = await import('../../src/start.ts')
  await start(process.env)
}

export {}
