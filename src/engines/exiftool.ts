import { constants } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { MediaprocError } from '../errors.ts'
import { type Engine, type EngineStatus, engineUnavailable, installCommand } from './engine.ts'
import { packageFolder } from './library.ts'
import { type ProgramResult, runProgram } from './process/process.ts'
import { findProgram } from './process/programs.ts'
import { withTemporaryFolder } from './process/temporary.ts'

/** The script bundled with exiftool-vendored.pl, or undefined. It needs perl. */
function packagedScript(): string | undefined {
  const folder = packageFolder('exiftool-vendored.pl', 'exiftool-vendored.pl/package.json')
  return folder && join(folder, 'bin', 'exiftool')
}

export const findExiftool = () =>
  findProgram({ environment: 'MEDIAPROC_EXIFTOOL', fromPackage: async () => packagedScript(), names: ['exiftool'] })

/** The script is here, but not its interpreter. `engine` is the id that `doctor` and clients know; a pack would not help. */
const withoutPerl = () =>
  new MediaprocError('ENGINE_UNAVAILABLE', 'exiftool needs perl, which is not installed', {
    hint: 'Install it with: apt-get install perl',
    fields: { engine: 'exiftool' },
  })

export const findPerl = () => findProgram({ environment: 'MEDIAPROC_PERL', names: ['perl'] })

interface ExiftoolOptions {
  /** Maximum standard output in bytes; 1 MiB by default. */
  maxOutput?: number
  signal?: AbortSignal
  allowExit?: readonly number[]
}

/**
 * Disables the user's configuration file, which can contain any Perl code. exiftool accepts this only as its first
 * arguments.
 */
const PLAIN = ['-config', '']

/**
 * Runs exiftool. `args` must not contain user file names: files are passed separately, so that a name is never read as
 * an option.
 */
async function launch(
  args: readonly string[],
  paths: readonly string[],
  { maxOutput = 1 << 20, ...options }: ExiftoolOptions,
): Promise<ProgramResult<Uint8Array>> {
  const [script, perl] = await Promise.all([findExiftool(), findPerl()])
  if (!script) throw engineUnavailable(exiftool, 'Reading or changing this metadata')
  if (!perl) throw withoutPerl()
  const line = [script.path, ...PLAIN, ...args, '--', ...paths]
  return runProgram(perl.path, line, { what: 'exiftool', stdout: 'buffer', maxOutput, ...options })
}

async function run(args: readonly string[], path: string, options: ExiftoolOptions = {}): Promise<Uint8Array> {
  return (await launch(args, [path], options)).stdout
}

/** Metadata groups by exiftool's names. XMP can contain GPS data as well. */
const GROUPS = {
  exif: ['-EXIF:all='],
  gps: ['-GPS:all=', '-XMP-exif:GPS*='],
  xmp: ['-XMP:all=', '-IPTC:all='],
  photoshop: ['-Photoshop:all=', '-IPTC:all='],
} as const

export type MetadataGroup = keyof typeof GROUPS

/** Removes groups of metadata from one of our files, in place; does not change pixels. */
export async function removeMetadata(path: string, groups: readonly MetadataGroup[]): Promise<void> {
  const args = groups.flatMap((group) => GROUPS[group])
  await run(['-q', '-q', '-m', '-overwrite_original', ...args], path)
}

/** Tags that describe how one file stores its pixels, and thumbnails: must not be copied to another file. */
const STORAGE = [
  'Orientation',
  'XResolution',
  'YResolution',
  'ResolutionUnit',
  'ColorSpace',
  'ExifImageWidth',
  'ExifImageHeight',
  'IFD1:all',
  'SubIFD:all',
  'ThumbnailImage',
  'PreviewImage',
  'XMP-xmp:PageInfo*',
  'XMP-GImage:all',
  'XMP-GDepth:all',
].map((tag) => `--${tag}`)

/** Groups to copy; without `gps`, positions in EXIF and XMP are not copied. */
export interface CopiedTags {
  /** A TIFF's own tags as well. */
  exif: boolean
  gps: boolean
  xmp: boolean
  iptc: boolean
}

/** Copies tags from one file to one of our files. */
export async function copyTags(from: string, to: string, groups: CopiedTags): Promise<void> {
  const { exif, gps, xmp, iptc } = groups
  // Without a group exiftool would copy all of them.
  if (!exif && !xmp && !iptc) return
  // Here exiftool interprets % as a format code, and has no escape for a literal %.
  if (from.includes('%'))
    return withTemporaryFolder(async (folder) => {
      const plain = join(folder, 'source')
      await copyFile(from, plain, constants.COPYFILE_FICLONE)
      await copyTags(plain, to, groups)
    })
  const args = [
    ...[
      '-tagsFromFile',
      resolve(from),
      ...(exif ? ['-EXIF:all'] : []),
      // Without its namespace exiftool moves a property to one with the same name: crs:Saturation to exif:Saturation.
      ...(xmp ? ['-XMP:all:all'] : []),
      ...(iptc ? ['-IPTC:all', '-IPTC:CodedCharacterSet'] : []),
      ...STORAGE,
    ],
    ...(gps ? [] : ['--GPS:all', '--XMP-exif:GPS*']),
  ]
  await run(['-q', '-q', '-m', '-overwrite_original', ...args], to, { allowExit: [0, 1] })
}

/** Tags of one file: `Group:Name` with exiftool's family 1 groups (`IFD0:Artist`), with raw values. */
export type Tags = Readonly<Record<string, unknown>>

/** Maximum size of a file's metadata as JSON, in bytes: editors keep long histories in XMP. */
const MAX_REPORT_BYTES = 64 << 20

/**
 * Tags to read: descriptive ones, times and positions; or everything in the file except pixels and file system data.
 */
const SCOPES = {
  descriptive: ['-EXIF:all', '-IPTC:all', '-XMP:all', '-Composite:GPS*'],
  whole: ['-all:all', '--System:all', '--ExifTool:all', '--Composite:all'],
} as const

/** Arguments that read tags as JSON. */
const reading = (scope: keyof typeof SCOPES): string[] => ['-j', '-n', '-G1', '-q', '-q', ...SCOPES[scope]]

const tagsIn = (stdout: Uint8Array, paths: readonly string[]): Tags[] => {
  const said = Buffer.from(stdout).toString('utf8')
  return said.trim() === '' ? paths.map(() => ({})) : (JSON.parse(said) as Tags[])
}

/** Reads the tags of files in one run, in the order of `paths`. Skips damaged tags. */
export async function readTags(
  paths: readonly string[],
  { scope, signal }: { scope: keyof typeof SCOPES; signal?: AbortSignal },
): Promise<Tags[]> {
  const options = { maxOutput: MAX_REPORT_BYTES, allowExit: [0, 1], ...(signal && { signal }) }
  return tagsIn((await launch(reading(scope), paths, options)).stdout, paths)
}

/**
 * exiftool's messages about failed changes of a file.
 * @throws MediaprocError INVALID_FILE when the file is too damaged to write
 */
function failedChanges(stderr: string, path: string): string[] {
  // A message that there was nothing to copy or move is not an error, and contains the file's path.
  const all = stderr.split('\n').filter((line) => !line.includes('No writable tags set'))
  const lines = all.map((line) => line.replace(` - ${path}`, '').trim())
  const failed = lines.find((line) => line.startsWith('Error'))
  if (failed)
    throw new MediaprocError('INVALID_FILE', 'The file is damaged: no metadata can be written', { detail: failed })
  return lines.filter((line) => line.startsWith('Warning: ')).map((line) => line.slice('Warning: '.length))
}

/**
 * Writes and removes tags of one of our files, in place; does not change pixels.
 * @param args assignments such as `-IFD0:Artist=Ada`; an empty value removes a tag
 * @returns exiftool's messages about failed changes
 * @throws MediaprocError INVALID_FILE when the file is too damaged to write
 */
export async function writeTags(path: string, args: readonly string[], signal?: AbortSignal): Promise<string[]> {
  const options = { allowExit: [0, 1], ...(signal && { signal }) }
  const { stderr } = await launch(['-m', '-overwrite_original', ...args], [path], options)
  return failedChanges(stderr, path)
}

/**
 * Applies several changes to a copy of a file, see `writeTags`, and reads all tags of both, in one run: most of a run is
 * the start of perl.
 * @throws MediaprocError INVALID_FILE as `writeTags`; PROCESSING_FAILED when the tags of both cannot be read
 */
export async function changeTags(
  { original, ...files }: { original: string; copy: string },
  changes: readonly (readonly string[])[],
  signal: AbortSignal,
): Promise<{ before: Tags; after: Tags; warnings: string[] }> {
  // Before -execute, files are not separated from options.
  const copy = resolve(files.copy)
  const writing = changes.flatMap((args) => ['-m', '-q', '-overwrite_original', ...args, copy, '-execute'])
  const options = { maxOutput: MAX_REPORT_BYTES, allowExit: [0, 1], signal }
  const paths = [original, copy]
  const { stdout, stderr } = await launch([...writing, ...reading('whole')], paths, options)
  const warnings = failedChanges(stderr, copy)
  const [before, after] = stdout.length > 0 ? tagsIn(stdout, paths) : []
  // Two files without tags would be equal: as if nothing had changed.
  if (!before || !after)
    throw new MediaprocError('PROCESSING_FAILED', 'The changed metadata cannot be read', { detail: stderr })
  return { before, after, warnings }
}

/** Tags that contain the camera's own JPEG in a raw file, the largest first. */
const PREVIEWS = ['-JpgFromRaw', '-PreviewImage', '-OtherImage', '-ThumbnailImage']

/** A preview is at most a full-size JPEG of the sensor; larger data is not a preview. In bytes. */
const MAX_PREVIEW_BYTES = 128 << 20

/** The JPEG embedded in a raw file, and its orientation; undefined when there is none. */
export async function embeddedPreview(path: string): Promise<{ jpeg: Buffer; orientation: number } | undefined> {
  const said = Buffer.from(await run(['-n', '-s3', '-Orientation'], path)).toString('latin1')
  for (const tag of PREVIEWS) {
    const jpeg = Buffer.from(await run(['-b', tag], path, { maxOutput: MAX_PREVIEW_BYTES }))
    if (jpeg.length > 0) return { jpeg, orientation: Number.parseInt(said, 10) || 1 }
  }
  return undefined
}

export const exiftool: Engine = {
  id: 'exiftool',
  purpose: 'metadata: reading and writing, removing single groups, previews in camera raw files',
  kind: 'program',
  licence: 'Artistic-1.0-Perl or GPL-1.0-or-later',
  install: `${installCommand('exiftool')} (perl runs it)`,
  pack: 'exiftool',
  environment: 'MEDIAPROC_EXIFTOOL',
  async probe(): Promise<EngineStatus> {
    const [script, perl] = await Promise.all([findExiftool(), findPerl()]).catch(() => [])
    if (!script || !perl) return { available: false, ...(script && { warning: 'exiftool is here, but perl is not' }) }
    const { stdout } = await runProgram(perl.path, [script.path, '-ver'], { what: 'exiftool' })
    return { available: true, version: stdout.trim(), path: script.path, source: script.source }
  },
}

/** Whether exiftool can run on this machine. */
export async function hasExiftool(): Promise<boolean> {
  return (await exiftool.probe()).available
}
