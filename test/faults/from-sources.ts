import { start } from '../../src/start.ts'

// The service without its bundle, whose copy of pg is none that another file could import.
await start(process.env)
