import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { faultOf } from './server.ts'

suite('a PostgreSQL server', () => {
  test('is fit from version 14 on, with UTF8', () => {
    const fit = {
      banner: 'PostgreSQL 14.0 on x86_64',
      number: '140000',
      version: '14.0',
      encoding: 'UTF8',
    }
    assert.equal(faultOf(fit), undefined)
    assert.equal(faultOf({ ...fit, number: '190002', version: '19.2' }), undefined)
    assert.equal(
      faultOf({ ...fit, number: '130023', version: '13.23 (Debian)' }),
      'this is PostgreSQL 13.23 (Debian): Gatehouse needs 14 or newer',
    )
    assert.match(faultOf({ ...fit, encoding: 'SQL_ASCII' }) ?? '', /encoding SQL_ASCII/)
  })
})
