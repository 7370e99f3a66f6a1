import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Engine, type EngineStatus, engineUnavailable } from './engine.ts'
import { runProgram } from './process.ts'
import { findProgram } from './programs.ts'

/** The script that exiftool-vendored.pl ships, or undefined. It needs perl. */
function packagedScript(): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('exiftool-vendored.pl/package.json')), 'bin', 'exiftool')
  } catch {
    return undefined
  }
}

const find = () =>
  findProgram({ environment: 'MEDIAPROC_EXIFTOOL', fromPackage: async () => packagedScript(), names: ['exiftool'] })

const findPerl = () => findProgram({ environment: 'MEDIAPROC_PERL', names: ['perl'] })

/** Runs exiftool with arguments that hold no file of the person's; the file is given apart, so that its name is never an option. */
async function run(args: readonly string[], path: string, options: { maxOutput?: number } = {}): Promise<Uint8Array> {
  const [script, perl] = await Promise.all([find(), findPerl()])
  if (!script || !perl) throw engineUnavailable(exiftool, 'Reading or changing this metadata')
  const { stdout } = await runProgram(perl.path, [script.path, ...args, '--', path], {
    what: 'exiftool',
    stdout: 'buffer',
    maxOutput: options.maxOutput ?? 1 << 20,
  })
  return stdout
}

/** Groups of metadata as exiftool names them. GPS also stands in XMP. */
const GROUPS = {
  exif: ['-EXIF:all='],
  gps: ['-GPS:all=', '-XMP-exif:GPS*='],
  xmp: ['-XMP:all=', '-IPTC:all='],
} as const

export type MetadataGroup = keyof typeof GROUPS

/** Removes groups of metadata from a file of ours, in place; pixels are not touched. */
export async function removeMetadata(path: string, groups: readonly MetadataGroup[]): Promise<void> {
  const args = groups.flatMap((group) => GROUPS[group])
  await run(['-q', '-q', '-m', '-overwrite_original', ...args], path)
}

/** Tags that hold a camera's own JPEG of a raw photograph, the largest first. */
const PREVIEWS = ['-JpgFromRaw', '-PreviewImage', '-OtherImage', '-ThumbnailImage']

/** A preview is a JPEG of the full sensor at most; more is not a preview. In bytes. */
const LARGEST_PREVIEW = 128 << 20

/** The JPEG that a camera put into its raw file, and the orientation to turn it by; undefined when there is none. */
export async function embeddedPreview(path: string): Promise<{ jpeg: Buffer; orientation: number } | undefined> {
  const said = Buffer.from(await run(['-n', '-s3', '-Orientation'], path)).toString('latin1')
  for (const tag of PREVIEWS) {
    const jpeg = Buffer.from(await run(['-b', tag], path, { maxOutput: LARGEST_PREVIEW }))
    if (jpeg.length > 0) return { jpeg, orientation: Number.parseInt(said, 10) || 1 }
  }
  return undefined
}

export const exiftool: Engine = {
  id: 'exiftool',
  purpose: 'metadata: removing single groups, previews in camera raw files',
  kind: 'program',
  licence: 'Artistic-1.0-Perl or GPL-1.0-or-later',
  install: 'apt-get install perl libimage-exiftool-perl',
  environment: 'MEDIAPROC_EXIFTOOL',
  async probe(): Promise<EngineStatus> {
    const [script, perl] = await Promise.all([find(), findPerl()]).catch(() => [])
    if (!script || !perl) return { available: false, ...(script && { warning: 'exiftool is here, but perl is not' }) }
    const { stdout } = await runProgram(perl.path, [script.path, '-ver'], { what: 'exiftool' })
    return { available: true, version: stdout.trim(), path: script.path, source: script.source }
  },
}

/** Whether exiftool can run here. */
export async function hasExiftool(): Promise<boolean> {
  return (await exiftool.probe()).available
}
