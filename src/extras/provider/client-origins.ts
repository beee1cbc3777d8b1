import type { Application } from '../../modules/clients/application.ts'

type Origins = Pick<Application, 'origins' | 'redirectUris'>

/** The origins whose pages may read the answers. */
export function originsOf({ origins, redirectUris }: Origins): readonly string[] {
  if (origins.length > 0) return origins
  // A scheme of its own has the origin "null", as pages of any sandbox have it.
  return redirectUris.flatMap((uri) => URL.parse(uri)?.origin ?? []).filter((one) => one !== 'null')
}
