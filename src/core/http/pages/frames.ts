import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../config/load.ts'
import type { Language } from '../../lib/languages.ts'
import type { Assets } from './assets.ts'
import { createBranding } from './branding.ts'
import type { Frame } from './frame.ts'
import { frameAssetsIn } from './frame-assets.ts'
import { hostPrefix } from './host-prefix.ts'
import { languageOf } from './language.ts'
import { builtPages } from './renderer.ts'

export interface Reader {
  /** Account language; first priority. */
  readonly language?: Language | null
  /** Language of the mail or flow, if none was chosen. */
  readonly hint?: Language | null
  /** Path for a GET of the same page, if different from the request. */
  readonly here?: string
  /** Username shown in the header. */
  readonly person?: string | null
  /** Shown at an application's host. */
  readonly isElsewhere?: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Build output of `web/`. */
    readonly builtPages: URL
    readonly frameAssets: Assets
    readonly frameOf: (request: FastifyRequest, reader: Reader) => Frame
  }
}

/** Adds the built pages and their settings to a server, and serves the branding files. */
export function addFrames(
  app: FastifyInstance,
  { baseUrl, pages }: Pick<Config, 'baseUrl' | 'pages'>,
  built = builtPages,
): void {
  const { assets, branding } = createBranding(pages)
  assets.routes(app)
  const frameAssets = frameAssetsIn(built)
  app.decorate('builtPages', built)
  app.decorate('frameAssets', frameAssets)
  app.decorate('frameOf', (request, reader) => {
    const { language: ofAccount, here, hint, person = null, isElsewhere = false } = reader
    const files = isElsewhere ? hostPrefix : ''
    const language = ofAccount ?? languageOf(request, pages.language, hint)
    return {
      language,
      name: pages.name,
      files: {
        style: files + frameAssets.address('pages.css'),
        module: files + frameAssets.address('pages.js'),
        scriptOf: (folder) => files + frameAssets.address(`${folder}.js`),
        consoleStyle: files + frameAssets.address('console.css'),
        consoleModule: files + frameAssets.address('console.js'),
        icon: files + frameAssets.address('icon.svg'),
        brandingStyle: branding.style && files + branding.style,
        logo: branding.logo && files + branding.logo,
      },
      base: isElsewhere ? baseUrl : '',
      own: pages.texts[language],
      // Accounts store their language; the cookie is bound to one host.
      here: ofAccount || isElsewhere ? null : (here ?? addressOf(request)),
      person,
    }
  })
}

/** Parameters kept by the language form: no code, token or URL. */
const kept = new Set(['flow', 'again'])

function addressOf({ url }: FastifyRequest): string {
  const [path = '/', ...query] = url.split('?')
  const fields = [...new URLSearchParams(query.join('?'))].filter(
    ([name, value]) => kept.has(name) && /^[\w-]{1,100}$/.test(value),
  )
  return fields.length === 0 ? path : `${path}?${new URLSearchParams(fields)}`
}
