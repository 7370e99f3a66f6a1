import { copyFileSync, mkdtempSync, statSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { ImageFrame } from '../../../src/media/image/frame.ts'
import { COUNTRIES, EYE_LINE_RANGE, REGIONS } from '../../../tools/image/people/passport-photo/countries.ts'
import { frameOf, photoSize } from '../../../tools/image/people/passport-photo/crop.ts'
import { crownOf, type HeadPoints, poseOf } from '../../../tools/image/people/passport-photo/landmarks.ts'
import { cropped } from '../../../tools/image/people/passport-photo/photo.ts'
import { documentRules } from '../../../tools/image/people/passport-photo/rules.ts'
import passportPhoto from '../../../tools/image/people/passport-photo.ts'
import { type DrawnHead, portraitSvg, seesLandmarks, seesOneFace } from '../../helpers/faces.ts'
import { redIsSubject } from '../../helpers/matting.ts'
import { stubModel } from '../../helpers/models.ts'
import { put, readPixels } from '../../helpers/picture.ts'
import { run, temporaryFolder } from '../../helpers/tool.ts'

const folder = temporaryFolder()
const SIZE = { width: 260, height: 320 }
/** The eyes are in the middle of a head of 140 px. */
const HEAD: DrawnHead = {
  eyes: { left: { x: 150, y: 120 }, right: { x: 110, y: 120 } },
  chin: { x: 130, y: 190 },
  nose: { x: 130, y: 145 },
  crown: 50,
}

let portrait: string

/** The input of `generate` for the portrait. */
let kept: { path: string; landmarks: unknown; imageWidth: number; imageHeight: number }

beforeAll(async () => {
  stubModel(folder, 'u2netp', redIsSubject(320))
  stubModel(folder, 'yunet-2023mar', seesOneFace(HEAD))
  stubModel(folder, 'openseeface-lm66', seesLandmarks(HEAD, SIZE))
  portrait = await put(folder, 'me.png', sharp(portraitSvg(HEAD, SIZE)).png())
  const { paths, report } = await run(passportPhoto, folder, [portrait], {}, { action: 'analyze' })
  const { landmarks, imageWidth, imageHeight } = report as unknown as typeof kept
  // As the server passes it on: under the name of the portrait.
  const path = join(mkdtempSync(join(folder, 'kept-')), 'me.png')
  copyFileSync(paths[0]!, path)
  kept = { path, landmarks, imageWidth, imageHeight }
})

/** A photo of the analysed picture, without any model. */
function generated(settings: Record<string, unknown>) {
  const { path, ...analysis } = kept
  return run(passportPhoto, folder, [path], { ...analysis, ...settings }, { action: 'generate' })
}

type Pixels = Awaited<ReturnType<typeof readPixels>>

const isNear = ([r, g, b]: readonly number[], [red, green, blue]: readonly number[], most = 60): boolean =>
  Math.abs(r! - red!) < most && Math.abs(g! - green!) < most && Math.abs(b! - blue!) < most

/** The centre of the rows in the middle column with a colour. */
function rowOf({ data, width, height, channels }: Pixels, colour: readonly number[]): number {
  const column = Math.round(width / 2)
  const rows = Array.from({ length: height }, (_, y) => y).filter((y) => {
    const at = (y * width + column) * channels
    return isNear([...data.subarray(at, at + 3)], colour)
  })
  return (rows[0]! + rows.at(-1)! + 1) / 2
}

/** Head and eyes of a finished photo, as displayed: rows of the crown, the eyes and the chin. */
async function seenIn(path: string) {
  const pixels = await readPixels(path)
  const { data, width, height, channels } = pixels
  const column = Math.round(width / 2)
  const isPerson = (y: number): boolean => {
    const [red, green] = data.subarray((y * width + column) * channels)
    return red! > 150 && green! < 110
  }
  const crown = Array.from({ length: height }, (_, y) => y).find(isPerson)!
  const [eyes, chin] = [rowOf(pixels, [255, 255, 0]), rowOf(pixels, [255, 0, 255])]
  return { head: (chin - crown) / height, eyeLine: 1 - eyes / height, crown: crown / height }
}

const corner = ({ data, channels }: Pixels): number[] => [...data.subarray(0, channels)]

describe('the photo', () => {
  test.each([
    ['US', 602, 602, 30 / 51, 0.62, '#FFFFFF', [255, 255, 255]],
    ['de', 413, 531, 0.75, 0.565, '#d4d4d4', [212, 212, 212]],
    ['CA', 591, 827, 33.5 / 70, 0.55, '#FFFFFF', [255, 255, 255]],
    ['ID', 354, 472, 0.75, 0.565, '#ef4444', [239, 68, 68]],
  ] as const)('%s: size, head, eyes and colour', async (countryCode, width, height, head, eyes, bgColor, colour) => {
    const { paths, names, report } = await generated({ countryCode, bgColor })
    expect(names).toEqual(['me_passport.jpg'])
    const about = await sharp(paths[0]!).metadata()
    expect(about).toMatchObject({ format: 'jpeg', width, height, density: 300 })
    expect(report.dimensions).toMatchObject({ widthPx: width, heightPx: height, dpi: 300 })
    expect(isNear(corner(await readPixels(paths[0]!)), colour, 3)).toBe(true)
    expect(report.measured).toMatchObject({ crownMeasured: true, headHeightMet: true, eyeLineMet: true })
    expect(report.notChecked).toContain('clear glasses')
    const found = report.measured as Record<string, number>
    expect(Math.abs(found.headHeight! - head)).toBeLessThan(0.01)
    expect(Math.abs(found.eyeLineFromBottom! - eyes)).toBeLessThan(0.012)
    if (countryCode === 'ID') return
    // The report matches the picture.
    const seen = await seenIn(paths[0]!)
    expect(Math.abs(seen.head - head)).toBeLessThan(0.015)
    expect(Math.abs(seen.eyeLine - eyes)).toBeLessThan(0.015)
    expect(seen.crown).toBeGreaterThan(0.05)
  })

  test('other sizes, other dots per inch and any colour; reports a colour that is not accepted', async () => {
    const settings = { countryCode: 'XX', customWidthMm: 40, customHeightMm: 60, dpi: 150, bgColor: '#00FFFF' }
    const { paths, report, warnings } = await generated(settings)
    expect(await sharp(paths[0]!).metadata()).toMatchObject({ width: 236, height: 354, density: 150 })
    expect(report.spec).toEqual({
      ...{ country: 'Custom', countryCode: 'CUSTOM', documentType: 'passport', documentLabel: 'Custom' },
    })
    expect(isNear(corner(await readPixels(paths[0]!)), [0, 255, 255], 4)).toBe(true)
    expect(warnings.join()).toContain('accept #ffffff as background, not #00ffff')
  })

  test('zoom and adjust move the head, and reports violated rules', async () => {
    const plain = await seenIn((await generated({ countryCode: 'US' })).paths[0]!)
    const settings = { countryCode: 'US', zoom: 1.25, adjustY: -0.02 }
    const { paths, report, warnings } = await generated(settings)
    const seen = await seenIn(paths[0]!)
    expect(Math.abs(seen.head / plain.head - 1.25)).toBeLessThan(0.03)
    // The frame moved up by 6.4 of the 188 px in the photo.
    expect(Math.abs(seen.eyeLine - (0.5 + (plain.eyeLine - 0.5) * 1.25 - 6.4 / 188))).toBeLessThan(0.015)
    expect(report.measured).toMatchObject({ headHeightMet: false })
    expect(warnings.join()).toMatch(/The head is 3[78](\.\d)? mm high; the rules \(United States\) require 25 to 35 mm/)
    const { warnings: cut } = await generated({ ...settings, adjustY: 0.05 })
    expect(cut.join()).toContain('The photo cuts off the head')
    await expect(generated({ countryCode: 'US', adjustX: 1, zoom: 3 })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: /no part of the image/,
    })
  })

  test('a file of limited size in kB', async () => {
    const settings = { countryCode: 'GB', dpi: 100, maxFileSizeKb: 2 }
    const { paths, report } = await generated(settings)
    expect(statSync(paths[0]!).size).toBeLessThanOrEqual(2000)
    expect(report).toMatchObject({ targetMet: true })
    expect(report.quality).toBeLessThan(95)
    await expect(generated({ ...settings, maxFileSizeKb: 0.5 })).rejects.toMatchObject({ code: 'TARGET_UNREACHABLE' })
    // In one step, a photo that is too large is better than none.
    const whole = await run(passportPhoto, folder, [portrait], { countryCode: 'GB', dpi: 100, maxFileSizeKb: 0.5 })
    expect(whole.report).toMatchObject({ targetMet: false })
    expect(whole.warnings.join()).toContain('more than 0.5 kB')
  })
})

test('a photo that extends beyond the picture has its full size for the next step, and is transparent there', async () => {
  const red = sharp({ create: { width: 200, height: 200, channels: 4, background: '#ff0000' } })
  const frame = await ImageFrame.fromPng(await red.png().toBuffer(), 'red')
  const photo = await cropped(frame, { left: 120, top: -50, width: 150, height: 150 }, { width: 301, height: 301 })
  const { data, width, height } = await photo.pixels()
  expect([photo.width, photo.height, width, height]).toEqual([301, 301, 301, 301])
  const alpha = (x: number, y: number) => data[(y * 301 + x) * 4 + 3]
  // A third of it is above the picture, and 70 of 150 columns next to it.
  expect([alpha(10, 95), alpha(10, 105), alpha(155, 200), alpha(166, 200)]).toEqual([0, 255, 255, 0])
})

describe('sheets', () => {
  test.each([
    ['4x6', 1205, 1795, 6],
    ['a4', 2480, 3508, 30],
    ['letter', 2550, 3300, 25],
  ] as const)('%s holds as many copies as fit, in its middle', async (printLayout, width, height, copies) => {
    const { paths, names, report } = await generated({ countryCode: 'DE', printLayout })
    expect(names).toEqual(['me_passport.jpg', `me_passport_print_${printLayout}.jpg`])
    expect(report.copies).toBe(copies)
    expect(await sharp(paths[1]!).metadata()).toMatchObject({ width, height, density: 300 })
    const sheet = await readPixels(paths[1]!)
    const isWhite = (x: number, y: number): boolean => {
      const at = (y * sheet.width + x) * sheet.channels
      return isNear([...sheet.data.subarray(at, at + 3)], [255, 255, 255], 12)
    }
    const columns = Array.from({ length: width }, (_, x) => x).filter((x) => !isWhite(x, Math.round(height / 2) + 40))
    expect(Math.abs(columns[0]! - (width - 1 - columns.at(-1)!))).toBeLessThan(4)
    const gaps = columns.filter((x, index) => index > 0 && x - columns[index - 1]! > 4)
    const perRow = Math.floor((width / 11.811 + 2) / 37)
    expect(gaps).toHaveLength(perRow - 1)
  })

  test('no sheet if not a single photo fits', async () => {
    const settings = { countryCode: 'US', customWidthMm: 120, customHeightMm: 160, dpi: 72, printLayout: '4x6' }
    const { names, warnings } = await generated(settings)
    expect(names).toEqual(['me_passport.jpg'])
    expect(warnings.join()).toContain('No photo fits on 4x6')
  })
})

describe('analyze and generate', () => {
  const analysed = () => run(passportPhoto, folder, [portrait], {}, { action: 'analyze' })

  test('finds the head, and cuts out the person', async () => {
    const { names, paths, report } = await analysed()
    expect(names).toEqual(['me_nobg.png'])
    expect(report).toMatchObject({ filename: 'me.png', imageWidth: 260, imageHeight: 320, previewWidth: 260 })
    const { landmarks } = report as unknown as { landmarks: HeadPoints }
    const expected = {
      leftEye: [150, 120],
      rightEye: [110, 120],
      eyeCenter: [130, 120],
      chin: [130, 190],
      crown: [130, 50],
    }
    for (const [name, [x, y]] of Object.entries(expected)) {
      const point = landmarks[name as 'chin']
      expect(Math.abs(point.x * 260 - x!), name).toBeLessThan(1.5)
      expect(Math.abs(point.y * 320 - y!), name).toBeLessThan(2)
    }
    expect(Math.abs(landmarks.faceCenterX * 260 - 130)).toBeLessThan(1.5)
    const preview = await sharp(Buffer.from(report.preview as string, 'base64'))
      .ensureAlpha()
      .raw()
      .toBuffer()
    const cut = await sharp(paths[0]!).ensureAlpha().raw().toBuffer()
    expect([preview[3], preview[(120 * 260 + 120) * 4 + 3]]).toEqual([0, 255])
    expect(preview.equals(cut)).toBe(true)
  })

  test('generating later gives the same as at once', async () => {
    const atOnce = await run(passportPhoto, folder, [portrait], { countryCode: 'DE' })
    // In one step the background is the country's own.
    const later = await generated({ countryCode: 'DE', bgColor: '#d4d4d4' })
    expect(later.names).toEqual(['me_passport.jpg'])
    expect(later.report).toEqual(atOnce.report)
    expect((await readPixels(later.paths[0]!)).data.equals((await readPixels(atOnce.paths[0]!)).data)).toBe(true)
  })

  test('generate refuses another size of the picture, and accepts any document', async () => {
    const settings = { countryCode: 'US' }
    await expect(generated({ ...settings, imageWidth: 100 })).rejects.toMatchObject({ code: 'INVALID_SETTINGS' })
    const { report } = await generated({ ...settings, documentType: 'fishing-licence' })
    expect(report.spec).toMatchObject({ documentType: 'passport' })
  })
})

describe('reports what the picture lacks', () => {
  test('a head at the edge, a cut body, and too few pixels', async () => {
    const narrow = { left: 70, top: 60, width: 120, height: 150 }
    const cropped = await put(folder, 'narrow.png', sharp(portrait).extract(narrow).png())
    const moved = ({ x, y }: { x: number; y: number }) => ({ x: x - narrow.left, y: y - narrow.top })
    const head = {
      eyes: { left: moved(HEAD.eyes.left), right: moved(HEAD.eyes.right) },
      ...{ chin: moved(HEAD.chin), nose: moved(HEAD.nose), crown: -10 },
    }
    stubModel(join(folder, 'narrow'), 'yunet-2023mar', seesOneFace(head))
    stubModel(join(folder, 'narrow'), 'openseeface-lm66', seesLandmarks(head, narrow))
    const { warnings, report } = await run(passportPhoto, folder, [cropped], { countryCode: 'US' })
    expect(warnings.join('\n')).toMatch(/too close to the upper edge/)
    expect(warnings.join('\n')).toMatch(/cuts off the person .*below/)
    expect(warnings.join('\n')).toMatch(/enlarged 2\.\d times/)
    expect(report.measured).toMatchObject({ crownMeasured: false })
    expect(report.warnings).toEqual(warnings)
  })

  test('no face', async () => {
    const seeing = seesOneFace(HEAD)
    const nothing = seeing.constants!.map((one) => ({ ...one, data: new Float32Array(one.data.length) }))
    stubModel(join(folder, 'blind'), 'yunet-2023mar', { ...seeing, constants: nothing })
    await expect(run(passportPhoto, folder, [portrait], { countryCode: 'US' })).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
      message: /no face was found/,
    })
  })

  test('a head that is tilted or turned', () => {
    const eyes = { leftEye: { x: 150, y: 110 }, rightEye: { x: 110, y: 120 }, eyeCenter: { x: 130, y: 115 } }
    const { lean, turn } = poseOf({ ...eyes, nose: { x: 138, y: 140 } } as HeadPoints)
    expect(lean).toBeCloseTo(-14.04, 1)
    expect(turn).toBeCloseTo((8 * 40 - 25 * 10) / 1700, 6)
  })
})

describe('the crown', () => {
  const face = {
    ...{
      leftEye: { x: 60, y: 100 },
      rightEye: { x: 40, y: 100 },
      eyeCenter: { x: 50, y: 100 },
      chin: { x: 50, y: 140 },
    },
  }
  const personFrom = (top: (x: number) => number) => ({
    ...{ width: 100, height: 200, at: (x: number, y: number) => (y >= top(x) ? 255 : 0) },
  })

  test.each([
    ['where the person ends', () => 58, 58, true],
    ['not at single hairs', (x: number) => (x === 50 ? 20 : 58), 58, true],
    ['half way above the eyes where the cut-out ends in the face', () => 85, 60, false],
    ['within reason under a hat', () => 10, 48, false],
    ['beyond the picture where that cuts the hair', () => 0, 0, false],
  ] as const)('%s', (_, top, expected, isMeasured) => {
    expect(crownOf(face, personFrom(top))).toMatchObject({ point: { x: 50, y: expected }, isMeasured })
  })

  test('is estimated if the picture starts within the face', () => {
    const low = { ...face, ...{ eyeCenter: { x: 50, y: 10 }, chin: { x: 50, y: 50 } } }
    const { point, isCutOff } = crownOf(
      low,
      personFrom(() => 0),
    )
    expect([point.y, isCutOff]).toEqual([-30, true])
  })
})

describe('the rules', () => {
  test('exist for 41 countries in all regions', () => {
    const all = Object.values(COUNTRIES)
    expect(all).toHaveLength(41)
    expect(new Set(all.map(({ region }) => region))).toEqual(new Set(REGIONS))
    for (const { name, documents } of all)
      for (const rules of Object.values(documents)) {
        expect(rules.bgColors, name).toContain(rules.bgColor)
        expect(rules.headHeightMmMax, name).toBeCloseTo(rules.headHeightMax * rules.heightMm, 1)
      }
    // As in the pages that the rules name as their sources.
    const heads = (code: string) => {
      const { widthMm, heightMm, headHeightMmMin, headHeightMmMax, bgColors } = COUNTRIES[code]!.documents.passport!
      return [widthMm, heightMm, headHeightMmMin, headHeightMmMax, ...bgColors]
    }
    expect(heads('GB')).toEqual([35, 45, 29, 34, '#d4d4d4', '#f5f0e1'])
    expect(heads('CN')).toEqual([33, 48, 28, 33, '#ffffff'])
    expect(heads('MY')).toEqual([35, 50, 25, 30, '#ffffff'])
    expect(heads('TR')).toEqual([50, 60, 32, 36, '#ffffff'])
    expect(heads('IN')).toEqual([51, 51, 35.7, 40.8, '#ffffff'])
    expect(heads('US')).toEqual([51, 51, 25, 35, '#ffffff'])
    expect(heads('CA')).toEqual([50, 70, 31, 36, '#ffffff'])
    for (const code of ['DE', 'FR', 'JP', 'AU']) expect(heads(code).slice(0, 4)).toEqual([35, 45, 32, 36])
    expect(heads('PL')).toEqual([35, 45, 31.5, 36, '#ffffff'])
  })

  test('a source is a page of an authority, and the rules without one are listed', () => {
    const sources = Object.entries(COUNTRIES).flatMap(([code, { documents }]) =>
      Object.values(documents).flatMap(({ source }) => (source ? [[code, new URL(source)] as const] : [])),
    )
    expect(sources.map(([code]) => code)).toEqual(['CA', 'US', 'DE', 'FR', 'GB', 'PL', 'IN', 'JP'])
    for (const [, { protocol, hostname }] of sources) {
      expect(protocol).toBe('https:')
      expect(hostname).toMatch(/(^|\.)(canada\.ca|usembassy\.gov|diplo\.de|gouv\.fr|gov\.uk|gov\.pl|gov\.in|lg\.jp)$/)
    }
  })

  test('the target is within the range that is checked', () => {
    for (const { name, documents } of Object.values(COUNTRIES))
      for (const { eyeLineFromBottom, eyeLineRange = EYE_LINE_RANGE } of Object.values(documents)) {
        const [least, most] = eyeLineRange
        expect(eyeLineFromBottom, name).toBeGreaterThan(least)
        expect(eyeLineFromBottom, name).toBeLessThan(most)
      }
    // 1 1/8 to 1 3/8 inches of 2, as in the template of travel.state.gov.
    expect(COUNTRIES.US!.documents.passport!.eyeLineRange).toEqual([0.5625, 0.6875])
  })

  test('codes are case-insensitive, UK is GB, and a size may have one side', () => {
    const options = { documentType: 'Passport', countryCode: 'uk' }
    expect(documentRules(options)).toMatchObject({ countryCode: 'GB', country: 'United Kingdom' })
    expect(documentRules({ ...options, customHeightMm: 50 }).rules).toMatchObject({
      ...{ widthMm: 35, heightMm: 50, headHeightMmMin: 32.2 },
    })
  })

  test.each([
    ['USA', 'US (United States)'],
    ['GER', 'DE (Germany)'],
    ['germny', 'DE (Germany)'],
    ['Japan', 'JP (Japan)'],
  ])('%s is unknown, and %s is suggested', (countryCode, meant) => {
    expect(() => documentRules({ countryCode, documentType: 'passport' })).toThrow(
      expect.objectContaining({ code: 'INVALID_SETTINGS', hint: expect.stringContaining(`Did you mean ${meant}?`) }),
    )
  })

  test('refuses a document without rules before any work', async () => {
    const settings = { countryCode: 'US', documentType: 'visa' }
    await expect(run(passportPhoto, folder, [portrait], settings)).rejects.toMatchObject({
      ...{ code: 'INVALID_SETTINGS', hint: 'Supported types: passport.' },
    })
  })

  test('the frame is that of the catalogue if its crown has room', () => {
    const { rules } = documentRules({ countryCode: 'MX', documentType: 'passport' })
    const at = (y: number) => ({ x: 500, y })
    // By the documented formula: the distance of the crown to the eyes is two thirds of that of the chin.
    const head = { eyeCenter: at(400), chin: at(700), crown: at(200), faceCenterX: 500 } as HeadPoints
    const plain = { zoom: 1, adjustX: 0, adjustY: 0 }
    const frame = frameOf(head, { width: 1000, height: 1000 }, rules, plain)
    expect(frame.height).toBeCloseTo(500 / 0.75, 6)
    expect(frame.width).toBeCloseTo((500 / 0.75) * (35 / 45), 6)
    expect(frame.top).toBeCloseTo(400 - 0.37 * frame.height, 6)
    expect(frame.left + frame.width / 2).toBeCloseTo(500, 6)
    const zoomed = frameOf(head, { width: 1000, height: 1000 }, rules, { ...plain, zoom: 2, adjustX: 0.1 })
    expect(zoomed.left + zoomed.width / 2).toBeCloseTo(600, 6)
    expect(zoomed.top + zoomed.height / 2).toBeCloseTo(frame.top + frame.height / 2, 6)
    expect(photoSize(rules, 600)).toEqual({ width: 827, height: 1063 })
  })
})
