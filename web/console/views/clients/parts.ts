import type { FunctionComponent } from 'preact'
import type { Client } from './client.ts'

export interface ClientPartProps {
  readonly client: Client
}

/** What other views add to the page of an application: `client-part.tsx` exports it. */
interface ClientParts {
  readonly ClientSection: FunctionComponent<ClientPartProps>
}

const files = Object.values(
  import.meta.glob<ClientParts>('../*/client-part.{ts,tsx}', { eager: true }),
)

export const clientSections = files.map(({ ClientSection }) => ClientSection)
