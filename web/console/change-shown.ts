import { ApiProblem, type Tagged } from './api/client.ts'
import { type Difference, wantsOwn } from './components/conflict.tsx'

interface Access<Data> {
  /** Sends the change for the version of this entity tag. */
  put(etag: string): Promise<Tagged<Data>>
  read(): Promise<Tagged<Data>>
  /** What of the change differs from what is there now. */
  differencesOf(present: Data): readonly Difference[]
}

/**
 * Changes a resource in the version that was shown. If another person has changed it meanwhile (412),
 * both versions are shown, and the change is made after all if it is wanted; null if not.
 */
export async function changeShown<Data>(
  shown: Tagged<Data>,
  { put, read, differencesOf }: Access<Data>,
): Promise<Tagged<Data> | null> {
  let { etag } = shown
  for (;;) {
    try {
      return await put(etag)
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 412) throw error
    }
    const present = await read()
    if (!(await wantsOwn(differencesOf(present.data)))) return null
    etag = present.etag
  }
}
