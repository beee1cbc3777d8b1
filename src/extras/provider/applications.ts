import { ApiError } from '../../core/errors.ts'
import { invalidClient } from '../../modules/clients/problems.ts'
import type { OtherTokens } from '../../modules/tokens/other-tokens.ts'
import { type ApplicationTokens, createApplicationTokens } from './application-tokens.ts'
import { type ClientOfForm, createClientOfForm } from './client-authentication.ts'
import { createClientMetadata } from './client-metadata.ts'
import { createDevices, type Devices } from './devices.ts'
import { createInstances } from './instance.ts'
import { createInteractions, type Interactions } from './interactions.ts'
import { createMount, type Mount } from './mount.ts'
import type { ApplicationsNeeds } from './needs.ts'
import { createRemovedClients } from './removed-clients.ts'
import { createSignOuts, type SignOuts } from './sign-outs.ts'
import { createTokenEndpoints } from './token-endpoints.ts'
import { workNow } from './work.ts'

/** The OpenID Provider: what its routes and other modules use of it. */
declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    providerMetadata: ProviderMetadata
  }
}

/** Members of the discovery document that another module adds. */
export type ProviderMetadata = Readonly<Record<string, unknown>>

export interface Applications {
  readonly isOn: boolean
  readonly interactions: Interactions
  readonly tokens: ApplicationTokens
  readonly devices: Devices
  readonly signOuts: SignOuts
  /** Ends consents and tokens of clients that are in neither CLIENTS_FILE nor the database. */
  readonly endRemoved: () => Promise<void>
  /** At /oauth/introspect and /oauth/revoke. */
  readonly atEndpoints: OtherTokens
  /** Answers a request by the library. */
  readonly mount: Mount
  readonly clientOfForm: ClientOfForm
  /** Makes the key and loads the library before the first request. */
  prepare(): Promise<void>
}

export function createApplications(
  needs: ApplicationsNeeds,
  moreMetadata: () => readonly ProviderMetadata[],
): Applications {
  const { clients, clientSecrets, config, keys, random } = needs
  const interactions = createInteractions(needs)
  const tokens = createApplicationTokens(needs)
  const metadata = createClientMetadata(clients, random)
  const instances = createInstances(needs, {
    ...{ clients: metadata, interactions, isSecretOf, moreMetadata },
  })
  return {
    isOn: config.provider.isOn,
    interactions,
    tokens,
    devices: createDevices(needs, instances),
    signOuts: createSignOuts(needs),
    endRemoved: createRemovedClients(needs),
    atEndpoints: createTokenEndpoints(needs, tokens),
    mount: createMount(needs, instances),
    clientOfForm: createClientOfForm(needs, instances),
    async prepare() {
      await keys.addIdentity()
      await instances()
    },
  }

  /** @throws ApiError tooManyLoginAttempts */
  async function isSecretOf(id: string, secret: string): Promise<boolean> {
    const client = await clients.find(id)
    try {
      await clientSecrets.verify(workNow().request, { id, client, texts: [secret] })
      return true
    } catch (error) {
      if (error instanceof ApiError && error.row === invalidClient) return false
      throw error
    }
  }
}
