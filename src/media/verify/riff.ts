import { type FileView, INCOMPLETE, notA, type StructureCheck } from './file-view.ts'

/** Sizes that mean "unknown" or are stated elsewhere (RF64), in files over 4 GB and in streams. */
const UNSTATED = new Set([0xffff_ffff, 0xffff_f000])

/** A container whose header states its own size: `form` is the type that follows it. */
const stated =
  (
    format: string,
    ids: readonly string[],
    forms: readonly string[],
    read: (file: FileView) => number,
  ): StructureCheck =>
  (file) => {
    if (!ids.includes(file.text(0, 4)) || !forms.includes(file.text(8, 4))) return notA(format)
    const size = read(file)
    if (UNSTATED.has(size)) return undefined
    // The trailing padding byte may be missing.
    if (size + 8 > file.size + 1) return INCOMPLETE
    return size > 4 ? undefined : 'was not finished: its header states no size'
  }

const little = ({ head }: FileView): number => head.readUInt32LE(4)
const big = ({ head }: FileView): number => head.readUInt32BE(4)

export const RIFF_CHECKS: Readonly<Record<string, StructureCheck>> = {
  webp: stated('WebP', ['RIFF'], ['WEBP'], little),
  wav: stated('WAV', ['RIFF', 'RF64', 'RIFX'], ['WAVE'], little),
  avi: stated('AVI', ['RIFF'], ['AVI '], little),
  aiff: stated('AIFF', ['FORM'], ['AIFF', 'AIFC'], big),
}
