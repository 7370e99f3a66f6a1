import type { PDFObject } from '../../../engines/mupdf.ts'

/** Number of components supported by JPEG: one (grey or the tint of one ink), RGB, CMYK. */
export type ComponentCount = 1 | 3 | 4

/** The palette of an Indexed colour space. */
export interface Palette {
  base: PDFObject
  components: ComponentCount
  /** One byte per component, colour after colour. */
  colors: Uint8Array
}

const BY_NAME: Record<string, ComponentCount> = {
  DeviceGray: 1,
  CalGray: 1,
  Separation: 1,
  DeviceRGB: 3,
  CalRGB: 3,
  DeviceCMYK: 4,
}

/**
 * Colour spaces of profiles (ICC.1:2010, 7.2.6: four letters from byte 16 of the header) and their number of
 * components.
 */
const BY_PROFILE: Record<string, ComponentCount> = { GRAY: 1, 'RGB ': 3, CMYK: 4 }

/**
 * The number of components of a pixel in this colour space, if JPEG supports it: undefined for Indexed, Lab, DeviceN
 * and unreadable ones. The pixels stay in the space, whatever its profile.
 */
export function componentsOf(space: PDFObject): ComponentCount | undefined {
  if (space.isName()) return BY_NAME[space.asName()]
  if (!space.isArray() || !space.get(0).isName()) return undefined
  const family = space.get(0).asName()
  if (family !== 'ICCBased') return BY_NAME[family]
  const profile = space.get(1)
  if (!profile.isStream()) return undefined
  const bytes = profile.readStream()
  const letters = Buffer.from(bytes.asUint8Array().subarray(16, 20)).toString('latin1')
  bytes.destroy()
  const components = BY_PROFILE[letters]
  return components === profile.get('N').asNumber() ? components : undefined
}

/** The palette of an Indexed colour space (ISO 32000-1, 8.6.6.3), or undefined for any other. */
export function paletteOf(space: PDFObject): Palette | undefined {
  if (!space.isArray() || !space.get(0).isName() || space.get(0).asName() !== 'Indexed') return undefined
  const base = space.get(1)
  const components = componentsOf(base)
  const lookup = space.get(3)
  if (!components) return undefined
  if (lookup.isString()) return { base, components, colors: lookup.asByteString() }
  if (!lookup.isStream()) return undefined
  const bytes = lookup.readStream()
  const colors = bytes.asUint8Array().slice()
  bytes.destroy()
  return { base, components, colors }
}
