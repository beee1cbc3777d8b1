import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createServer, type ViteDevServer } from 'vite'
import { modules } from '../src/modules.ts'
import { buildWeb, buildWebIfStale, webOptionsFor } from './build-web.ts'
import { pageFolders, scriptsIn } from './found-files.ts'
import { type Service, startService } from './service.ts'

/**
 * `npm run dev [URL]`: console and pages from their sources, with a reload at each change, at
 * http://127.0.0.1:5173 (DEV_PORT). What they ask goes to the service at the address; without one a
 * service is started, with the settings of the environment, and again after a change of what it
 * renders. /dev/components shows the components of the console.
 */
const root = join(import.meta.dirname, '..')
const port = Number(process.env.DEV_PORT ?? 5173)
const [given] = process.argv.slice(2)

/** The sources of what a page of the service names. */
const sources: Readonly<Record<string, string>> = {
  'pages.css': '/client/pages.css',
  'pages.js': '/client/pages.ts',
  'console.css': '/console/console.css',
  'console.js': '/console/console.ts',
  ...Object.fromEntries(
    Object.entries(scriptsIn(pageFolders(modules))).map(([name, path]) => [
      `${name}.js`,
      `/@fs${path}`,
    ]),
  ),
}
const ofVite =
  /^\/(?:@|node_modules\/|client\/|console\/|components\/|languages\/|src\/|context\.ts)/
const ofServer = /\/web\/(?:pages|components|languages|examples)\/|\/web\/(?:server|context)\.tsx?$/
const packages = [
  'preact',
  'preact/hooks',
  'preact/jsx-dev-runtime',
  '@preact/signals',
  'preact-iso',
  'openapi-fetch',
  'uplot',
]
const client = '<script type="module" src="/@vite/client"></script>'

const webOptions = webOptionsFor(modules)
await buildWebIfStale()
let service = given === undefined ? await start() : null
const target = () => given ?? service?.url ?? ''
const vite = await createServer({
  ...webOptions,
  appType: 'custom',
  cacheDir: join(root, 'node_modules/.cache/vite'),
  // Known before the first page asks: one that is found later loads the page again.
  optimizeDeps: { include: [...packages] },
  server: { host: '127.0.0.1', port, strictPort: true, fs: { allow: [root] } },
  plugins: [
    ...webOptions.plugins,
    {
      name: 'service',
      // Before vite's own: what is no source belongs to the service.
      configureServer: ({ middlewares }) => {
        middlewares.use((request, response, next) => {
          const { url = '/' } = request
          if (ofVite.test(url)) return next()
          const answer = url.startsWith('/dev/components') ? components : pass
          answer(request, response).catch((error: unknown) => {
            response.writeHead(502, { 'content-type': 'text/plain' })
            response.end(`${target()} does not answer: ${error}\n`)
          })
        })
      },
    },
  ],
})
restartAtChanges(vite)
await vite.listen()
process.stdout.write(`http://127.0.0.1:${port}, asking ${target()}\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await Promise.all([vite.close(), service?.stop()])
    process.exit(0)
  })
}

function start(): Promise<Service> {
  const dataDirectory = process.env.DATA_DIR ?? join(root, 'data')
  return startService([process.execPath, 'src/main.ts'], { WORKERS: '1' }, dataDirectory, root)
}

/** What the service renders is built anew, and the service started with it. */
function restartAtChanges({ watcher, ws }: ViteDevServer): void {
  let work = Promise.resolve()
  watcher.on('change', (path) => {
    if (!ofServer.test(path)) return
    work = work.then(async () => {
      await buildWeb()
      if (service) {
        await service.stop()
        service = await start()
      }
      ws.send({ type: 'full-reload' })
    })
  })
}

/** Sends a request to the service; its pages name the sources in place of the built files. */
async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/' } = request
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (name !== 'host' && name !== 'connection') headers.set(name, String(value))
  }
  // To the service the page is its own.
  if (headers.has('origin')) headers.set('origin', target())
  headers.set('accept-encoding', 'identity')
  const body = method === 'GET' || method === 'HEAD' ? null : await bytesOf(request)
  const answer = await fetch(target() + url, { method, headers, body, redirect: 'manual' })
  const isPage = answer.headers.get('content-type')?.startsWith('text/html') ?? false
  const content = Buffer.from(await answer.arrayBuffer())
  const sent = isPage ? withSources(content.toString()) : content
  for (const [name, value] of answer.headers) {
    if (!['content-length', 'set-cookie', 'strict-transport-security'].includes(name)) {
      response.setHeader(name, value)
    }
  }
  response.setHeader('set-cookie', answer.headers.getSetCookie())
  response.writeHead(answer.status).end(sent)
}

function withSources(page: string): string {
  return page
    .replace(/\/assets\/[\w-]{16}\/([\w.]+)/g, (whole, name: string) => sources[name] ?? whole)
    .replace(/<link rel="(?:modulepreload|preload)"[^>]*>/g, '') // the files of a build
    .replace('<head>', `<head>${client}`)
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function components(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isGerman = request.url?.endsWith('?language=de') ?? false
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'self'; script-src 'self'",
  })
  response.end(`<!doctype html>
<html lang="${isGerman ? 'de' : 'en'}" class="console"><head>${client}<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Components</title>
<link rel="stylesheet" href="/console/console.css"></head>
<body><div id="components"></div><script type="module" src="/console/dev/components.tsx"></script></body></html>`)
}
