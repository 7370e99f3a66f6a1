import { firstOf } from '../../../../src/lists.ts'
import type { Size } from '../../../../src/media/image/frame.ts'
import type { Area } from '../../../../src/models/tiles.ts'
import { union } from '../layout/bounds.ts'

/** Space on both sides of a group of faces, as a share of the width of one. */
const SIDE_ROOM = 0.5

/** Only this many of the largest faces are compared as groups: more would take too long. */
const MOST_COMPARED = 60

/** The largest area of an image with the proportions of a size, px. */
export function largestCrop(picture: Size, { width, height }: Size): Size {
  const factor = Math.min(picture.width / width, picture.height / height)
  return { width: width * factor, height: height * factor }
}

const areaOf = (faces: readonly Area[]): number => faces.reduce((sum, { width, height }) => sum + width * height, 0)

/** The faces that fit into a size together: as many as possible; of equal groups, the one with the largest faces. */
export function largestGroup<T extends Area>(all: readonly T[], size: Size): readonly T[] {
  const around = union(all)
  if (all.length === 1 || (around.width <= size.width && around.height <= size.height)) return all
  const faces = [...all].sort((one, other) => areaOf([other]) - areaOf([one])).slice(0, MOST_COMPARED)
  let best: T[] = [firstOf(faces)]
  for (const { left } of faces)
    for (const { top } of faces) {
      const inside = faces.filter(
        (face) =>
          face.left >= left &&
          face.top >= top &&
          face.left + face.width <= left + size.width &&
          face.top + face.height <= top + size.height,
      )
      if (inside.length < best.length) continue
      if (inside.length > best.length || areaOf(inside) > areaOf(best)) best = inside
    }
  return best
}

/**
 * The crop with the proportions of a size that is centred on faces.
 * @param share its height as a multiple of the height of the faces; wide groups make it larger, so that all are inside
 */
export function cropAround(faces: readonly Area[], picture: Size, { width, height }: Size, share: number): Area {
  const around = union(faces)
  const room = (SIDE_ROOM * faces.reduce((sum, face) => sum + face.width, 0)) / faces.length
  const wanted = Math.max(around.height * share, ((around.width + room) * height) / width)
  const most = largestCrop(picture, { width, height })
  const down = Math.max(1, Math.round(Math.min(wanted, most.height)))
  const across = Math.min(picture.width, Math.max(1, Math.round((down * width) / height)))
  const middle = (start: number, length: number, crop: number, limit: number): number =>
    Math.min(limit - crop, Math.max(0, Math.round(start + length / 2 - crop / 2)))
  return {
    left: middle(around.left, around.width, across, picture.width),
    top: middle(around.top, around.height, down, picture.height),
    width: across,
    height: down,
  }
}
