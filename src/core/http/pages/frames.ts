import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../config/load.ts'
import type { Language } from '../../lib/languages.ts'
import { createBranding } from './branding.ts'
import type { Frame } from './frame.ts'
import { frameAssets } from './frame-assets.ts'
import { hostPrefix } from './host-prefix.ts'
import { languageOf } from './language.ts'

/** Who reads a page, as far as its sender knows. */
export interface Reader {
  /** The language of the account, once it is known: it counts before all others. */
  readonly language?: Language | null
  /** The language of the mail that led here, or of the flow: it counts where none was chosen. */
  readonly hint?: Language | null
  /** The path of the page where a GET of it shows the same, if the address of the request does not. */
  readonly here?: string
  /** The username of the person who is signed in, for the head of the page. */
  readonly person?: string | null
  /** Whether the page is shown at the host of an application, which is not that of the service. */
  readonly isElsewhere?: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes what surrounds the content of a page: by the settings, the request and the reader. */
    readonly frameOf: (request: FastifyRequest, reader: Reader) => Frame
  }
}

/** Adds what pages need of the settings to a server, and serves the files of the branding. */
export function addFrames(
  app: FastifyInstance,
  { baseUrl, pages }: Pick<Config, 'baseUrl' | 'pages'>,
): void {
  const { assets, branding } = createBranding(pages)
  assets.routes(app)
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
        consoleStyle: files + frameAssets.address('console.css'),
        consoleModule: files + frameAssets.address('console.js'),
        icon: files + frameAssets.address('icon.svg'),
        brandingStyle: branding.style && files + branding.style,
        logo: branding.logo && files + branding.logo,
      },
      base: isElsewhere ? baseUrl : '',
      own: pages.texts[language],
      // The language of an account is changed in the account, and the cookie of it is of one host.
      here: ofAccount || isElsewhere ? null : (here ?? addressOf(request)),
      person,
    }
  })
}

/** What of an address the form of the language comes back to: no code, no token, no other address. */
const kept = new Set(['flow', 'again'])

function addressOf({ url }: FastifyRequest): string {
  const [path = '/', ...query] = url.split('?')
  const fields = [...new URLSearchParams(query.join('?'))].filter(
    ([name, value]) => kept.has(name) && /^[\w-]{1,100}$/.test(value),
  )
  return fields.length === 0 ? path : `${path}?${new URLSearchParams(fields)}`
}
