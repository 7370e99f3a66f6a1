/** What readers that honour permissions let people do who know the user password only. */
export interface Permissions {
  /** `low`: as a picture of low resolution. */
  printing: 'none' | 'low' | 'full'
  copying: boolean
  modifying: boolean
  /** Includes the filling of forms (ISO 32000-1, table 22, bit 6). */
  annotating: boolean
  formFilling: boolean
  assembling: boolean
}

/** `P` that restricts nothing: all bits set but the lowest two, which are reserved. */
export const EVERYTHING = -4

/** Values of `P` (ISO 32000-1, table 22); bit 10, extraction for accessibility, always stays set. */
const BITS = { printing: 4, modifying: 8, copying: 16, annotating: 32, formFilling: 256, assembling: 1024 }
const PRINTING_FULL = 2048

/** Permissions as `P` of an encryption dictionary, a signed number of 32 bits. */
export function permissionBits({ printing, ...others }: Permissions): number {
  let bits = EVERYTHING
  if (printing === 'none') bits &= ~BITS.printing
  if (printing !== 'full') bits &= ~PRINTING_FULL
  for (const [name, isAllowed] of Object.entries(others)) if (!isAllowed) bits &= ~BITS[name as keyof typeof others]
  return bits
}
