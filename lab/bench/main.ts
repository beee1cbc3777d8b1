// npm run bench -- [part ...] | --check
await import(process.argv.includes('--check') ? './check.ts' : './run.ts')
