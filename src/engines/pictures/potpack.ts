/** In pixels. */
interface Size {
  width: number
  height: number
}

/** Boxes, and the area that they fill, px. */
export interface Packed extends Size {
  /** Positions of the boxes, in the order given. */
  places: { left: number; top: number }[]
}

/** Packs boxes, sizes in px, into a nearly square area without rotating them. */
export async function packBoxes(sizes: readonly Size[]): Promise<Packed> {
  const { default: potpack } = await import('potpack')
  const boxes = sizes.map(({ width, height }) => ({ w: width, h: height, x: 0, y: 0 }))
  // It sorts the list that it gets.
  const { w: width, h: height } = potpack([...boxes])
  return { places: boxes.map(({ x, y }) => ({ left: x, top: y })), width, height }
}
