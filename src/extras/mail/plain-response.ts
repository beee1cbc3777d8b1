const maxLength = 300
const anyAddress = /[^\s<>()[\],;:"']{1,64}@[^\s<>()[\],;:"']{1,255}/g

/**
 * A server response or error as one line to store and show, without mail addresses, which servers
 * often repeat.
 */
export function plainResponse(answer: unknown): string {
  const text =
    answer instanceof Error
      ? String((answer as { readonly response?: unknown }).response || answer.message)
      : String(answer)
  return text
    .slice(0, 4 * maxLength)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(anyAddress, '…')
    .trim()
    .slice(0, maxLength)
}
