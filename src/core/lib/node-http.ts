/** A named import of node:http would load all exports, with another client. */
export const http = process.getBuiltinModule('node:http')
