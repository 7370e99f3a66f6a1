/** Red, green and blue from 0 to 255, of a colour that was validated as #rrggbb. */
export function parseHex(colour: string): [number, number, number] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as [number, number, number]
}

/** A colour setting for sharp: `transparent` becomes transparent black. */
export function sharpColour(colour: string): { r: number; g: number; b: number; alpha: number } {
  if (colour === 'transparent') return { r: 0, g: 0, b: 0, alpha: 0 }
  const [r, g, b] = parseHex(colour)
  return { r, g, b, alpha: 1 }
}

/** Whether a colour (#rrggbb) can be drawn on a grey image without adding colour to it. */
export function isGrey(colour: string): boolean {
  const [r, g, b] = parseHex(colour)
  return r === g && g === b
}
