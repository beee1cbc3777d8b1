import { provePurges } from '../growth/purge.ts'
import { proveRequests } from '../growth/requests.ts'
import { proveSearches } from '../growth/search.ts'
import { leaveSide, openSide } from '../growth/side.ts'
import { databases, removeCluster } from '../growth/store.ts'
import { missedGoals, print, verdict } from '../growth/table.ts'

/**
 * Measures what costs more with large tables: requests with 1,000 and 1,000,000 users, purges of
 * 1,000,000 expired rows, and waits beside searches with 100,000 users; on SQLite and on a
 * PostgreSQL of its own. `npm run prove -- growth [requests] [search] [purge] [sqlite]
 * [postgresql] [--users=n] [--rows=n]`.
 */
const few = 1000
const given = process.argv.slice(2)
const numberOf = (name: string, otherwise: number) =>
  Number(given.find((each) => each.startsWith(`--${name}=`))?.split('=')[1] ?? otherwise)
const many = numberOf('users', 1_000_000)
const rows = numberOf('rows', 1_000_000)
const isWanted = (word: string, among: readonly string[]) =>
  given.includes(word) || !among.some((other) => given.includes(other))
const parts = ['requests', 'search', 'purge']
const searchedUsers = 100_000

try {
  for (const name of databases) {
    const words = databases.map((each) => each.toLowerCase())
    if (!isWanted(name.toLowerCase(), words)) continue
    if (isWanted('search', parts)) {
      const side = await openSide(name, searchedUsers)
      await proveSearches(side)
      await leaveSide(side)
      await side.store.close()
    }
    if (!isWanted('requests', parts) && !isWanted('purge', parts)) continue
    const large = await openSide(name, many)
    if (isWanted('requests', parts)) {
      const small = await openSide(name, few)
      await proveRequests(small, large)
      await leaveSide(small)
      await small.store.close()
    }
    await leaveSide(large)
    if (isWanted('purge', parts)) await provePurges(large, rows)
    await large.store.close()
  }
} finally {
  await removeCluster()
}
print(verdict())
process.exitCode = missedGoals() === 0 ? 0 : 1
