/** A text whose parts between backticks are code, as the documents write it. */
export function WithCode({ text }: { readonly text: string }) {
  const parts = text.split('`')
  return (
    <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
  )
}
