import type { TestApp } from '../../test/app.ts'
import { asClient, callback } from '../../test/clients.ts'
import { answerOf } from '../../test/faults/application.ts'
import { pageBrowser } from '../../test/page-browser.ts'
import { authorize, code_verifier, open, signIn } from '../../test/provider/pages.ts'
import type { Person } from './people.ts'
import type { Traffic, Wanted } from './traffic.ts'

export interface ApplicationTokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** A person signs in on the pages, and the application `notes` gets its first tokens. */
export async function signInAtApplication(
  traffic: Traffic,
  { username, password, from }: Person,
): Promise<ApplicationTokens> {
  const app = {
    async call(method: string, path: string, sent: Pick<Wanted, 'headers' | 'form'>) {
      const kind = 'application'
      return answerOf(await traffic.ask({ kind, method, path, status: [200, 303], from, ...sent }))
    },
  }
  const browser = pageBrowser(app as unknown as TestApp) // it only calls
  const who = { username, password } as Parameters<typeof signIn>[1] // nothing else is typed
  const at = (await open(browser, authorize)) ?? (await signIn(browser, who))
  const code = new URL(at ?? '').searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier }
  const { body } = await traffic.ask({
    ...{ kind: 'application', method: 'POST', path: '/oauth/token', status: 200, from },
    ...{ headers: asClient('notes'), form },
  })
  return body
}
