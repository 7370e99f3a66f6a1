import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import sharp, { type Metadata } from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tool } from '../../../src/tool/contract.ts'
import { swappedProfile } from '../picture.ts'
import { type Outcome, temporaryFolder } from '../tool.ts'
import { describeEveryTool } from './every-tool.ts'
import { drawing, FRAMES, moving, nameOf, type PictureKind, picture } from './pictures.ts'
import { describeSettings } from './settings.ts'
import { type TrialOptions, takes, trialOf } from './trial.ts'

/** What every image tool guarantees for its pictures. */
export type ImagePromise =
  | 'depth'
  | 'profile'
  | 'alpha'
  | 'animation'
  | 'inks'
  | 'upright'
  | 'untagged'
  | 'samples'
  | 'tiny'

export interface ImageToolOptions extends TrialOptions {
  /** Guarantees that the tool does not give, each with its reason; one that it does give fails, too. */
  except?: Partial<Record<ImagePromise, string>>
  /** Damage that it does not detect, with the reason. */
  blindTo?: Partial<Record<keyof typeof DAMAGE | typeof HALF, string>>
  /** Models that find in these pictures what the tool requires; substituted for it alone. */
  models?: { put(folder: string): void; takeAway(): void }
  /** It works on animations only: its valid input is one. */
  animated?: true
  /** Maximum difference between the results of two equal-looking pictures, mean of 255, if the tool amplifies it. */
  apart?: { turned?: number; inks?: number; profile?: number }
}

const DAMAGE = {
  'an empty file': () => Buffer.alloc(0),
  'a text under its name': () => Buffer.from('only text\n'.repeat(30)),
  'a file that ends in its header': (good: Buffer) => good.subarray(0, 12),
}

/** Inputs that are processed as far as possible: reported, and refused by --strict. */
const HALF = 'the first half of a file'

/**
 * Means of 255. Shrinking a rotated picture rounds differently; inks become colours in floating point here and in 8 bit there;
 * a profile may be applied before or after the work.
 */
const APART = { turned: 0.5, inks: 4, profile: 2 }

/** The pictures of a run, decoded as stored; other files (PDF, ZIP, text) are omitted. */
async function picturesOf({ paths, names }: Outcome): Promise<{ path: string; name: string; metadata: Metadata }[]> {
  const read = paths.map(async (path, index) => {
    const metadata = await sharp(path)
      .metadata()
      .catch(() => undefined)
    return metadata && !['svg', 'pdf'].includes(metadata.format) ? [{ path, name: names[index]!, metadata }] : []
  })
  return (await Promise.all(read)).flat()
}

const samplesOf = async (path: string) => {
  const image = sharp(path, { pages: -1 }).toColourspace('srgb').ensureAlpha()
  return image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
}

function meanDifference(one: Buffer, other: Buffer): number {
  if (one.equals(other)) return 0
  let sum = 0
  for (let at = 0; at < one.length; at += 1) sum += Math.abs(one[at]! - other[at]!)
  return sum / one.length
}

/** Two runs gave the same pictures: equal sizes, samples within a mean difference of `most`. */
async function expectSame(one: Outcome, other: Outcome, most: number): Promise<void> {
  const [mine, theirs] = [await picturesOf(one), await picturesOf(other)]
  expect(mine.map(({ metadata }) => [metadata.width, metadata.height])).toEqual(
    theirs.map(({ metadata }) => [metadata.width, metadata.height]),
  )
  for (const [index, { path, name }] of mine.entries()) {
    const [a, b] = [await samplesOf(path), await samplesOf(theirs[index]!.path)]
    expect(a.info.size).toBe(b.info.size)
    const mean = meanDifference(a.data, b.data)
    expect(mean, name).toBeLessThanOrEqual(most)
  }
}

/** Formats that support the properties of the PNG. */
const HOLDS: Record<'depth' | 'profile' | 'alpha', readonly string[]> = {
  depth: ['png', 'tiff'],
  profile: ['png', 'jpeg', 'webp', 'tiff', 'heif'],
  alpha: ['png', 'webp', 'tiff', 'heif', 'gif'],
}

/** What every output must have if its format supports it. */
const KEPT: Record<keyof typeof HOLDS, (metadata: Metadata) => boolean> = {
  depth: ({ depth }) => depth === 'ushort',
  profile: ({ icc }) => icc?.equals(swappedProfile()) === true,
  alpha: ({ hasAlpha }) => hasAlpha === true,
}

/**
 * The guarantees of every image tool, derived from its declaration: accepts any kind of picture (grey,
 * palette, 16 bit, CMYK, 1 x 1), turns it upright, and keeps its metadata; settings, names, invalid files and aborts as for
 * every tool.
 */
export function describeImageTool(tool: Tool, options: ImageToolOptions = {}): void {
  describe(`${tool.section}/${tool.id}`, () => {
    const folder = temporaryFolder()
    const trial = trialOf(tool, folder, options)
    beforeAll(() => options.models?.put(folder))
    afterAll(() => options.models?.takeAway())
    const inputs: (() => Promise<string>)[] = [
      ...(['colour', 'jpeg', 'webp'] as const)
        .filter((kind) => takes(tool, nameOf(kind)))
        .map((kind) => () => picture(kind)),
      ...(['gif', 'webp'] as const).filter((type) => takes(tool, `x.${type}`)).map((type) => () => moving(type)),
      ...(takes(tool, 'x.svg') ? [drawing] : []),
    ]
    const first = options.animated ? () => moving('gif') : inputs[0]
    const apart = { ...APART, ...options.apart }
    describeSettings(
      () => trial,
      tool.settings,
      async () => (first ? [await first()] : []),
    )
    if (!first) return
    describeEveryTool(() => trial, folder, {
      input: first,
      damaged: DAMAGE,
      except: options.blindTo,
    })

    if (!options.blindTo?.[HALF] && !tool.input.accept.includes('*'))
      test(`${HALF} gives the available part with a warning, and --strict refuses it`, async () => {
        const good = await first()
        const bytes = readFileSync(good)
        const half = join(mkdtempSync(join(folder, 'half-')), basename(good))
        writeFileSync(half, bytes.subarray(0, bytes.length >> 1))
        const { report, warnings } = await trial.run(half)
        expect(warnings).toContainEqual(expect.stringContaining('ends too early'))
        expect(JSON.stringify(report)).toContain('"truncated":true')
        expect(await trial.refusal(half, { strict: true })).toBe('REFUSED_BY_STRICT')
      })

    const promised = (
      name: ImagePromise,
      title: string,
      kinds: readonly PictureKind[],
      holds: () => Promise<void>,
    ): void => {
      if (!kinds.every((kind) => takes(tool, nameOf(kind)))) return
      const reason = options.except?.[name]
      if (reason === undefined) test(title, holds)
      else test(`not: ${title} (${reason})`, async () => expect(holds()).rejects.toThrow())
    }
    const tried = async (kind: PictureKind): Promise<Outcome> => trial.run(await picture(kind))
    const alike = (one: PictureKind, other: PictureKind, most: number) => async () =>
      expectSame(await tried(one), await tried(other), most)
    const keeps = (what: keyof typeof HOLDS, kind: PictureKind) => async () => {
      for (const { name, metadata } of await picturesOf(await tried(kind)))
        if (HOLDS[what].includes(metadata.format)) expect(KEPT[what](metadata), name).toBe(true)
    }

    promised('depth', 'keeps 16 bit, colour', ['deep'], keeps('depth', 'deep'))
    promised('depth', 'keeps 16 bit, grey', ['deepGrey'], keeps('depth', 'deepGrey'))
    if (options.except?.profile && takes(tool, nameOf('profile')))
      test('applies a profile', alike('profile', 'profileAsColour', apart.profile))
    promised('profile', 'keeps the profile with its numbers', ['profile'], keeps('profile', 'profile'))
    promised('profile', 'keeps the profile of a JPEG', ['profileJpeg'], keeps('profile', 'profileJpeg'))
    promised('alpha', 'transparent pixels stay transparent', ['alpha'], keeps('alpha', 'alpha'))
    promised(
      'upright',
      'processes a rotated picture upright',
      ['turned', 'upright'],
      alike('turned', 'upright', apart.turned),
    )
    promised('untagged', 'the orientation is not applied twice', ['camera'], async () => {
      for (const { metadata, name } of await picturesOf(await tried('camera')))
        expect(metadata.orientation ?? 1, name).toBe(1)
    })
    promised(
      'samples',
      'processes grey like colour with equal channels',
      ['grey', 'greyAsColour'],
      alike('grey', 'greyAsColour', 1),
    )
    promised(
      'samples',
      'processes a palette like its colours',
      ['palette', 'paletteAsColour'],
      alike('palette', 'paletteAsColour', 1),
    )
    promised(
      'inks',
      'processes CMYK like its displayed colours',
      ['inks', 'inksAsColour'],
      alike('inks', 'inksAsColour', apart.inks),
    )
    promised('tiny', 'accepts a picture of one pixel', ['tiny'], async () => {
      const { paths, report } = await tried('tiny')
      expect(paths.length + Object.keys(report).length).toBeGreaterThan(0)
    })
    for (const type of ['gif', 'webp'] as const) {
      if (!takes(tool, `x.${type}`)) continue
      const reason = options.except?.animation
      const holds = async (): Promise<void> => {
        const all = await picturesOf(await trial.run(await moving(type)))
        for (const { name, metadata } of all)
          if (['gif', 'webp'].includes(metadata.format)) expect(metadata.pages, name).toBe(FRAMES.length)
      }
      if (reason === undefined) test(`an animated ${type} keeps all its frames`, holds)
      else
        test(`not: an animated ${type} keeps all its frames (${reason})`, async () => expect(holds()).rejects.toThrow())
    }
  })
}
