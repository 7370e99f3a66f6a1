import { formatOf } from '../../../src/media/image/encode/fit-to-format.ts'
import { turnOf } from '../../../src/media/image/lossless/turns.ts'
import { imageTool } from '../../../src/tool/image-tool.ts'
import { boolean, number } from '../../../src/tool/settings.ts'
import { invalidSettings } from '../../../src/tool/validate.ts'
import { turnedSize } from '../_shared/layout/bounds.ts'

export default imageTool({
  id: 'rotate',
  summary: 'Turn by any angle and mirror horizontally or vertically',
  settings: {
    angle: number('clockwise rotation; the canvas grows to fit the corners', {
      short: 'a',
      default: 0,
      unit: 'degrees',
    }),
    horizontal: boolean('mirror left and right, after the rotation', {
      default: false,
      label: 'Mirror left and right',
    }),
    vertical: boolean('mirror top and bottom, after the rotation', { default: false, label: 'Mirror top and bottom' }),
    lossless: boolean('JPEG by quarter turns, without encoding again; cuts edges that are no whole block', {
      default: false,
      scales: false,
    }),
  },
  scalable: true,
  examples: [
    { title: 'a quarter turn to the right', settings: { angle: 90 } },
    { title: 'straighten a tilted horizon', settings: { angle: -2.5 } },
    { title: 'a mirror image', settings: { horizontal: true } },
    { title: 'a JPEG without loss', settings: { angle: 90, lossless: true } },
  ],
  check({ angle, lossless }) {
    if (lossless && angle % 90 !== 0)
      throw invalidSettings(
        `Expected a multiple of 90 for angle with lossless, got ${angle}`,
        'Omit lossless to rotate by any angle.',
      )
  },
  async transform(frame, { angle, horizontal, vertical, lossless }, context) {
    const turn = ((angle % 360) + 360) % 360
    if (lossless) {
      const { changeLossless } = await import('../../../src/media/image/lossless/lossless.ts')
      return changeLossless(frame, { turn: turnOf({ angle: turn, horizontal, vertical }) }, context)
    }
    if (turn === 0 && !horizontal && !vertical) return frame
    const square = turn % 90 === 0
    // libvips mirrors before it rotates; mirroring after a rotation equals mirroring before the opposite rotation.
    const effective = horizontal !== vertical ? (360 - turn) % 360 : turn
    const clear = !square && formatOf(frame).alpha
    const background = clear ? { r: 0, g: 0, b: 0, alpha: 0 } : { r: 0, g: 0, b: 0, alpha: 1 }
    // The corners of a rotated image are black or transparent, which CMYK cannot represent; in every RGB it is 0.
    const base = square || frame.space !== 'cmyk' ? frame : await frame.toSrgb()
    return base.apply(
      (image) => {
        let turned = image
        if (vertical) turned = turned.flip()
        if (horizontal) turned = turned.flop()
        if (clear) turned = turned.ensureAlpha()
        return effective === 0 ? turned : turned.rotate(effective, { background })
      },
      {
        pagewise: true,
        ...(turn % 180 === 90 && {
          size: { width: frame.height, height: frame.width },
          pixelShape: 'turned' as const,
        }),
        ...(clear && { alpha: true }),
        ...(!square && { size: turnedSize(frame, turn), pixelShape: 'changed' as const }),
      },
    )
  },
})
