import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { refusalOf } from './server.ts'

suite('the kind of server', () => {
  const refused: readonly [string, string][] = [
    [
      'CockroachDB',
      'CockroachDB CCL v25.2.1 (x86_64-pc-linux-gnu, built 2025/06/04 15:23:41, go1.23.7)',
    ],
    [
      'YugabyteDB',
      'PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit',
    ],
    ['YugabyteDB', 'PostgreSQL 11.2-YB-2.20.1.0-b0 on x86_64-pc-linux-gnu, 64-bit'],
    [
      'Amazon Redshift',
      'PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.12103',
    ],
  ]
  for (const [name, version] of refused) {
    test(`${name} is refused by its name: ${version.slice(0, 24)}`, () => {
      assert.match(
        refusalOf(version) ?? '',
        new RegExp(`^DATABASE_URL leads to ${name}, which cannot be used: .*PostgreSQL itself`),
      )
    })
  }

  const used = [
    'PostgreSQL 18.1 on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit',
    'PostgreSQL 14.20 (Ubuntu 14.20-1.pgdg22.04+1) on aarch64-unknown-linux-gnu',
    'PostgreSQL 16.6 on x86_64-pc-linux-gnu, compiled by x86_64-pc-linux-gnu-gcc (GCC) 9.5.0, 64-bit',
    '',
  ]
  for (const version of used) {
    test(`any other is used: ${version.slice(0, 24)}`, () => {
      assert.equal(refusalOf(version), undefined)
    })
  }
})
