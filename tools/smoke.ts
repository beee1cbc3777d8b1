import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { assertServes, startService } from './service.ts'

/** Starts the result of `npm run build`, sends requests to it and stops it. */
const password = 'a password for one minute'
const service = await startService([process.execPath, 'dist/main.js'], { ADMIN_PASSWORD: password })
try {
  await assertServes(service, password)
  const home = await fetch(service.url, { headers: { accept: 'text/html' } })
  const [, style = ''] = /rel="stylesheet" href="([^"]+)"/.exec(await home.text()) ?? []
  const { status, headers } = await fetch(service.url + style)
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/css; charset=utf-8'])
  const reference = await (await fetch(`${service.url}/api/docs`)).text()
  const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(reference) ?? []
  for (const path of [script, script.replace('main.js', 'curl.js')]) {
    assert.equal((await fetch(service.url + path)).status, 200, path)
  }
  const listed = execFileSync(process.execPath, ['dist/cli/main.js', 'account', 'list', '--json'], {
    env: { ...process.env, DATA_DIR: service.dataDirectory },
  })
  assert.equal(JSON.parse(listed.toString())[0].username, 'admin')
} finally {
  const code = await service.stop()
  service.remove()
  assert.equal(code, 0, 'SIGTERM drains and exits 0')
}
process.stdout.write('dist/ starts, serves, lists its accounts and stops\n')
