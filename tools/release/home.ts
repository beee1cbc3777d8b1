import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { line } from './docker.ts'
import { debian, listingOf, run, until } from './stage.ts'
import { Visitor } from './visitor.ts'

const domain = 'localhost' // for such a name Caddy signs a certificate itself

/** Caddy in place of its image, and the plugin of Docker that Debian has since trixie. */
export function prepareHome(folder: string): void {
  debian(join(folder, 'caddy.tar'), 'trixie', 'caddy,ca-certificates')
  debian(join(folder, 'compose.tar'), 'trixie', 'docker-compose', '--variant=extract')
  const plugins = join(folder, 'docker-config/cli-plugins')
  mkdirSync(plugins, { recursive: true })
  const plugin = './usr/libexec/docker/cli-plugins/docker-compose'
  run('tar', ['-xf', join(folder, 'compose.tar'), '-C', plugins, '--strip-components=5', plugin])
}

/** `compose.home.yaml` by the lines of docs/deploy.md, "At home"; returns its figures. */
export async function tryHome(folder: string): Promise<string> {
  process.env.DOCKER_CONFIG = join(folder, 'docker-config')
  const sources = join(folder, 'sources')
  const { services } = parse(readFileSync(join(sources, 'compose.home.yaml'), 'utf8'))
  const changes = [
    'ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data',
    'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
  ].flatMap((change) => ['--change', change])
  run('docker', ['import', ...changes, join(folder, 'caddy.tar'), services.proxy.image])

  const lines = listingOf('At home').map((text) =>
    text
      .replace(/^sudo /, '')
      .replace(' --build ', ' ')
      .replace('DOMAIN=example.org', `DOMAIN=${domain}`),
  )
  const show = lines.pop() ?? ''
  const startedAt = performance.now()
  line(lines.join('\n'), sources)
  const upMs = Math.round(performance.now() - startedAt)
  const password = line(show, sources)

  const gatehouse = `https://auth.${domain}`
  const application = `https://hello.${domain}`
  const visitor = new Visitor()
  await until('the certificate of Caddy', async () => {
    assert.equal((await visitor.get(`${gatehouse}/health/ready`)).status, 200)
    return true
  })
  assert.equal((await visitor.get(`${gatehouse}/api/authz/forward`)).status, 404)
  const asked = await visitor.get(`${application}/`)
  assert.equal(asked.status, 302)
  assert.equal(new URL(asked.location).host, `auth.${domain}`)
  const login = await visitor.post(`${gatehouse}/login`, { username: 'admin', password })
  assert.equal(login.status, 200, login.text)
  const forged = { 'remote-user': 'mallory', 'x-forwarded-for': '203.0.113.7' }
  const greeted = await visitor.follow(`${application}/`, forged)
  assert.deepEqual([greeted.status, greeted.text], [200, 'Hello admin'])
  assert.equal((await new Visitor().get(`${application}/`, forged)).status, 302)

  const compose = 'docker compose --file compose.home.yaml'
  line(`${compose} exec gatehouse gatehouse backup /backups/first`, sources)
  assert.notEqual(line('ls backups', sources), '', 'a backup')
  line(`${compose} down && ${compose} up --detach --wait`, sources)
  const again = await until('the proxy', () =>
    new Visitor().post(`${gatehouse}/login`, { username: 'admin', password }),
  )
  assert.equal(again.status, 200, 'the volume is kept')
  line(`${compose} down`, sources)
  return `compose.home.yaml: up in ${upMs} ms`
}
