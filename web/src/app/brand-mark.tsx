import type { JSX } from 'preact'
import { addressOf } from '../api/call.ts'
import { brand, productName } from './brand.ts'

/** The logo and name of the instance. */
export function BrandMark({ size = 24 }: { size?: number }): JSX.Element {
  const { logoUrl } = brand.value
  return (
    <>
      {logoUrl ? (
        <img class="brand-logo" src={addressOf(logoUrl)} alt="" height={size} />
      ) : (
        <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="8" fill="var(--accent)" />
          <path
            d="M8 22V11l8 7 8-7v11"
            fill="none"
            stroke="var(--on-accent)"
            stroke-width="3"
            stroke-linecap="round"
            stroke-linejoin="round"
          />
        </svg>
      )}
      <span>{productName.value}</span>
    </>
  )
}
