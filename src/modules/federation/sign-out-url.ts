import { home } from '../flows/return-to.ts'
import { deadline, type Provider } from './provider.ts'

/** RP-Initiated Logout; `home` if unavailable. */
export async function signOutUrl(provider: Provider, baseUrl: string): Promise<string> {
  try {
    const { library, configuration } = await provider.client(deadline())
    if (configuration.serverMetadata().end_session_endpoint === undefined) return home
    const post_logout_redirect_uri = `${baseUrl}/`
    return library.buildEndSessionUrl(configuration, { post_logout_redirect_uri }).href
  } catch {
    return home
  }
}
