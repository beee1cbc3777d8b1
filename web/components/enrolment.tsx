import { useCommon } from '../context.ts'

/** A QR code, whose SVG the service has drawn itself. */
export function QrCode({ svg, label }: { readonly svg: string; readonly label?: string }) {
  const t = useCommon()
  return (
    <div
      class="qr"
      role="img"
      aria-label={label ?? t.qrCode}
      dangerouslySetInnerHTML={{ __html: svg }}
    />
  )
}
