/** How a client shows who calls. */
export interface Credentials {
  /** Adds the credential; answers what was added, as `renew` wants it. */
  sign(request: Request): Promise<string | null>
  /** Whether to send a refused request once more, with what `sign` adds now. */
  renew(request: Request, refused: Response, sent: string | null): Promise<boolean>
  /** Keeps what the service says to a login. */
  keep(login: Readonly<Record<string, unknown>>): Promise<void>
  isSignedIn(): Promise<boolean>
  /** Forgets, and calls `POST /logout`. */
  signOut(): Promise<void>
}
