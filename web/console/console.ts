import { start } from './start.tsx'

// A module that a page loads by its name holds nothing else, so that what it imports is shared.
await start()
