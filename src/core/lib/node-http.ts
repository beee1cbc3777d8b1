/** Avoids loading all exports of node:http. */
export const http = process.getBuiltinModule('node:http')
