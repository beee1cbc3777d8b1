import { withData } from '../../client/elements.ts'

// Loaded by the pages alone that have a form of passkeys.
offerPasskeys()
signalPasskeys()

/** Shows the forms that a passkey fills in, where the browser knows passkeys. */
export function offerPasskeys(): void {
  if (!globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON) return
  for (const [element, options] of withData('passkey')) {
    const form = element.querySelector('form')
    const field = form?.querySelector<HTMLInputElement>('input[name="passkey"]')
    const status = element.querySelector('[role="status"]')
    if (!form || !field || !status) continue
    let waiting = new AbortController()
    const send = (credential: Credential | null) => {
      if (!(credential instanceof PublicKeyCredential)) return
      field.value = JSON.stringify(credential.toJSON())
      form.submit()
    }
    // The options are here before the press: some browsers want the call close to it.
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      waiting.abort()
      waiting = new AbortController()
      status.textContent = ''
      ask(element, options, { signal: waiting.signal }).then(send, () => {
        status.textContent = element.dataset.failed ?? ''
      })
    })
    form.querySelector('button')?.addEventListener('click', () => form.requestSubmit())
    element.hidden = false
    document.getElementById('without-passkeys')?.remove()
    if (element.dataset.inField !== undefined) void offerInField(element, options, waiting, send)
  }
}

/** In the list of the field of the username. Never after a refusal: an authenticator may repeat it. */
async function offerInField(
  element: HTMLElement,
  options: string,
  { signal }: AbortController,
  send: (credential: Credential | null) => void,
): Promise<void> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.()) || signal.aborted) return
  await ask(element, options, { signal, mediation: 'conditional' }).then(send, () => {})
}

function ask(
  { dataset }: HTMLElement,
  options: string,
  how: Pick<CredentialRequestOptions, 'signal' | 'mediation'>,
): Promise<Credential | null> {
  if (dataset.ceremony === 'create') {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options))
    return navigator.credentials.create({ publicKey, ...(how.signal && { signal: how.signal }) })
  }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options))
  return navigator.credentials.get({ publicKey, ...how })
}

interface Signals {
  signalAllAcceptedCredentials?(known: object): Promise<void>
  signalCurrentUserDetails?(user: object): Promise<void>
}

/** Tells the authenticators of the person which passkeys count here, and the names of the person. */
export function signalPasskeys(): void {
  const { PublicKeyCredential: signals } = globalThis as { PublicKeyCredential?: Signals }
  for (const [, text] of withData('known-passkeys')) {
    const { credentials, user } = JSON.parse(text)
    const failed = () => {} // an authenticator may know neither
    signals?.signalAllAcceptedCredentials?.(credentials).catch(failed)
    signals?.signalCurrentUserDetails?.(user).catch(failed)
  }
}
