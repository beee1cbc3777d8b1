/** An import of node:http by name would load all its exports, among them a client of its own. */
export const http = process.getBuiltinModule('node:http')
