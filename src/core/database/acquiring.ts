import type { DatabaseConnection, Dialect } from 'kysely'

/** Wraps the driver of a dialect, but acquires connections by `acquire`. */
export function acquiringBy(dialect: Dialect, acquire: () => Promise<DatabaseConnection>): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createDriver() {
      const driver = dialect.createDriver()
      return {
        init: async () => {},
        destroy: async () => {},
        acquireConnection: acquire,
        releaseConnection: (connection) => driver.releaseConnection(connection),
        beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
        commitTransaction: (connection) => driver.commitTransaction(connection),
        rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
      }
    },
  }
}
