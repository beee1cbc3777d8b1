import type { frame } from '../../languages/en/console/frame.ts'
import { wordsOf } from '../problem-words.ts'
import { LoginDeclined } from '../session/ask-for-login.ts'
import { toast } from './toasts.tsx'

/** The `undo` of a toast: takes an action back, and says what stood in its way. */
export function undoing(work: () => Promise<void>, t: typeof frame): () => Promise<void> {
  return async () => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof LoginDeclined)) toast(wordsOf(error, t), { kind: 'bad' })
    }
  }
}
