import { afterAll, beforeAll } from 'vitest'
import { CANVASES } from '../../tools/image/compose/collage/layout.ts'

type Sizes = Record<string, { width: number; height: number }>

/**
 * Collages on canvases of an eighth of their width, for tests that are not about the size: 4 million
 * pixels take half a second each time.
 */
export function useSmallCanvases(): void {
  const sizes: Sizes = CANVASES
  const real = structuredClone(sizes)
  beforeAll(() => {
    for (const size of Object.values(sizes))
      Object.assign(size, { width: Math.round(size.width / 8), height: Math.round(size.height / 8) })
  })
  afterAll(() => {
    for (const [name, size] of Object.entries(real)) Object.assign(sizes[name]!, size)
  })
}
