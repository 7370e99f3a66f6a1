import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import smartCrop from '../../../tools/image/geometry/smart-crop.ts'
import blurFaces from '../../../tools/image/people/blur-faces.ts'
import redEyeRemoval from '../../../tools/image/restore/red-eye-removal.ts'
import { CORPUS, put, readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const FACES = join(CORPUS, 'faces')
const portrait = join(FACES, 'portrait-girl.jpg')

describe.skipIf(!existsSync(FACES))('on photographs', () => {
  test('finds and hides faces, and changes nothing else', async () => {
    const { paths, names, report, warnings } = await run(blurFaces, folder, [portrait])
    expect(names).toEqual(['portrait-girl_blurred.jpg'])
    const [face] = report.faces as { x: number; y: number; w: number; h: number }[]
    expect(report.facesDetected).toBe(1)
    expect(warnings).toEqual([])
    // Measured by eye in the photograph.
    expect(Math.abs(face!.x - 187)).toBeLessThan(12)
    expect(Math.abs(face!.y - 144)).toBeLessThan(12)
    const again = await run(blurFaces, folder, paths)
    expect(again.report).toMatchObject({ facesDetected: 0, faces: [] })
    expect(again.warnings[0]).toMatch(/No face was found/)
    const [before, after] = [await readPixels(portrait), await readPixels(paths[0]!)]
    const differs = (x: number, y: number) =>
      Math.abs(before.data[(y * before.width + x) * 3]! - after.data[(y * before.width + x) * 3]!)
    const far = Array.from({ length: 100 }, (_, at) => differs(400 + at, 50 + at))
    expect(Math.max(...far)).toBeLessThan(30)
  })

  test.each(['two-people.jpg', 'two-outdoors.jpg', 'partial-face.jpg'])(
    '%s: hands and ties are not faces, and no face remains',
    async (name) => {
      const wanted = { 'two-people.jpg': 2, 'two-outdoors.jpg': 3, 'partial-face.jpg': 1 }[name]
      const { paths, report } = await run(blurFaces, folder, [join(FACES, name)])
      expect(report.facesDetected).toBe(wanted)
      expect((await run(blurFaces, folder, paths)).report.facesDetected).toBe(0)
    },
  )

  test('finds the face in a rotated picture', async () => {
    const turned = await put(folder, 'turned.png', sharp(portrait).rotate(90).png())
    const { report } = await run(blurFaces, folder, [turned])
    const { height } = await sharp(portrait).metadata()
    const [face] = report.faces as { x: number; y: number; w: number; h: number }[]
    // Turned clockwise, what was 144 px below the top is as far from the right.
    expect(Math.abs(face!.x + face!.w - (height! - 144))).toBeLessThan(15)
    expect(Math.abs(face!.y - 187)).toBeLessThan(15)
  })

  test('smart-crop centres the face', async () => {
    const { paths } = await run(smartCrop, folder, [portrait], {
      mode: 'face',
      facePreset: 'closeup',
      width: 200,
      height: 200,
    })
    const { report } = await run(blurFaces, folder, paths)
    const [face] = report.faces as { x: number; y: number; w: number; h: number }[]
    expect(Math.abs(face!.x + face!.w / 2 - 100)).toBeLessThan(15)
    expect(Math.abs(face!.y + face!.h / 2 - 100)).toBeLessThan(15)
    expect(face!.h).toBeGreaterThan(90)
  })

  test('red pupils become dark and neutral', async () => {
    const eyes = [
      [632, 145],
      [702, 144],
    ] as const
    const pupil = {
      input: Buffer.from('<svg width="13" height="13"><circle cx="6.5" cy="6.5" r="5" fill="#d02020"/></svg>'),
    }
    const flashed = sharp(join(FACES, 'one-720p.jpg')).composite(
      eyes.map(([x, y]) => ({ ...pupil, left: x - 6, top: y - 6 })),
    )
    const { paths, report, names } = await run(redEyeRemoval, folder, [await put(folder, 'flash.png', flashed.png())])
    expect(names).toEqual(['flash_redeye_fixed.png'])
    expect(report).toEqual({ facesDetected: 1, eyesCorrected: 2 })
    const { data, width, channels } = await readPixels(paths[0]!)
    for (const [x, y] of eyes) {
      const [red, green, blue] = data.subarray((y * width + x) * channels)
      expect(Math.max(red!, green!, blue!)).toBeLessThan(60)
      expect(red! - Math.min(green!, blue!)).toBeLessThan(12)
    }
  })

  test.each([2, 3])('small pupils of a radius of %i px, too', async (radius) => {
    const [width, height] = [640, 360]
    const half = await sharp(join(FACES, 'one-720p.jpg')).resize(width, height, { fit: 'fill' }).toBuffer()
    const eyes = [
      [316, 72],
      [351, 72],
    ] as const
    const circles = eyes.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="${radius}" fill="#d02020"/>`).join('')
    const layer = Buffer.from(`<svg width="${width}" height="${height}">${circles}</svg>`)
    const flashed = await put(
      folder,
      `small-${radius}.png`,
      sharp(half)
        .composite([{ input: layer }])
        .png(),
    )
    const { paths, report } = await run(redEyeRemoval, folder, [flashed])
    expect(report).toMatchObject({ eyesCorrected: 2 })
    const { data, channels } = await readPixels(paths[0]!)
    const isRed = (x: number, y: number): boolean => {
      const [red, green, blue] = data.subarray((y * width + x) * channels)
      return red! > 100 && red! > 2 * Math.max(green!, blue!)
    }
    const left = eyes.flatMap(([x, y]) =>
      Array.from({ length: 11 * 11 }, (_, at) => isRed(x - 5 + (at % 11), y - 5 + Math.floor(at / 11))).filter(Boolean),
    )
    expect(left).toEqual([])
  })

  test('cuts no face of two: includes both, or only the largest with a warning', async () => {
    const input = join(FACES, 'two-people.jpg')
    const faces = async (path: string) => (await run(blurFaces, folder, [path])).report.facesDetected
    const wide = { mode: 'face', facePreset: 'closeup', width: 900, height: 500 }
    const both = await run(smartCrop, folder, [input], wide)
    expect(both.warnings).toEqual([])
    expect(await faces(both.paths[0]!)).toBe(2)
    const one = await run(smartCrop, folder, [input], { ...wide, width: 600, height: 600 })
    expect(one.warnings).toEqual(['2 faces were found, and a crop of 600 x 600 px can contain only 1 of them'])
    expect(await faces(one.paths[0]!)).toBe(1)
  })

  test('copies the file unchanged without a face', async () => {
    const input = join(CORPUS, 'photos', 'flowers.jpg')
    const { paths, warnings } = await run(blurFaces, folder, [input])
    expect(warnings[0]).toMatch(/No face was found/)
    expect(readFileSync(paths[0]!).equals(readFileSync(input))).toBe(true)
  })

  test('keeps eyes that are not red', async () => {
    const { report, warnings } = await run(redEyeRemoval, folder, [join(FACES, 'one-720p.jpg')], { format: 'original' })
    expect(report).toEqual({ facesDetected: 1, eyesCorrected: 0 })
    expect(warnings).toEqual(['No red eye was found'])
  })
})
